"""A transposition with cuda.core, by way of a tile in shared memory.

The tile has a column more than it needs: see the stride of 132 bytes between its rows in the
addresses of STS and LDS, by which the threads of a warp meet different banks.
"""

TRANSPOSE = r"""
template <typename T>
__global__ void transpose(const T* in, T* out, int width, int height) {
    __shared__ T tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < height && y < width) {
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
    }
}
"""


def compiled(arch):
    """The machine code for a target, with the lines of the text above."""
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(std="c++17", arch=arch, lineinfo=True, name="transpose.cu")
    program = Program(TRANSPOSE, code_type="c++", options=options)
    return program.compile("cubin", name_expressions=("transpose<float>",))


if __name__ == "__main__":
    from cuda.core import Device, LaunchConfig, launch

    device = Device()
    device.set_current()
    kernel = compiled(f"sm_{device.arch}").get_kernel("transpose<float>")
    import cupy as cp

    given = cp.random.rand(1000, 2000, dtype=cp.float32)
    made = cp.empty((2000, 1000), dtype=cp.float32)
    stream = device.create_stream()
    device.sync()
    config = LaunchConfig(grid=(63, 32), block=(32, 32))
    launch(stream, config, kernel, given.data.ptr, made.data.ptr, 2000, 1000)
    stream.sync()
    print(bool((made == given.T).all()))
