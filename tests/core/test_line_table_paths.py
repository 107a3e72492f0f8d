import pytest

from jitstudio.core.line_table_paths import OF_NVIDIA, plain_path


@pytest.mark.parametrize(
    ("spelt", "path"),
    [
        (r"/a/\303\251/\303\244 b.cu", "/a/é/ä b.cu"),
        # As nvdisasm prints it: ptxas has parted the file from its folder at the last backslash.
        (r"/a/\303\251/\303/244 b.cu", "/a/é/ä b.cu"),
        (r"\346\246/233.cu", "榛.cu"),
        (r"\360\237\232\200.cu", "🚀.cu"),
        # No character of UTF-8, and nothing that was spelt so.
        (r"C:\303\kernel.cu", r"C:\303\kernel.cu"),
        (r"\377\377.cu", r"\377\377.cu"),
        ("/plain/303/244.cu", "/plain/303/244.cu"),
    ],
)
def test_a_path_is_told_as_the_file_is_called(spelt, path):
    assert plain_path(spelt) == path


@pytest.mark.parametrize(
    ("path", "is_of_nvidia"),
    [
        ("/home/a/.cache/jitstudio/nvrtc-headers-13.5-20923572/cuda/barrier", True),
        ("/usr/local/cuda-13.0/targets/x86_64-linux/include/cuda_fp16.hpp", True),
        ("/usr/local/cuda/include/cub/cub.cuh", True),
        ("/venv/lib/python3.12/site-packages/nvidia/cu13/include/cuda_fp8.hpp", True),
        ("C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0\\include\\mma.h", True),
        ("/home/a/cuda/kernels.cuh", False),
        ("/home/a/cuda_project/include/tile.h", False),
        ("/home/a/include/barrier", False),
    ],
)
def test_headers_of_the_compiler_are_told_from_the_users(path, is_of_nvidia):
    assert (OF_NVIDIA.search(path) is not None) == is_of_nvidia
