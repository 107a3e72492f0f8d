// A height field in a vertex buffer of OpenGL.
#include <GL/gl.h>
#include <cuda_gl_interop.h>
#include "include/check.h"

const unsigned int mesh_width = 256;
const unsigned int mesh_height = 256;

GLuint vbo;
struct cudaGraphicsResource *resource;
float g_time = 0.0;

extern "C" GLenum window_error(void);

__global__ void waves(float4 *position, unsigned int width, unsigned int height, float time)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x / (float)width * 2.0f - 1.0f;
    float v = y / (float)height * 2.0f - 1.0f;
    float w = sinf(u * 4.0f + time) * cosf(v * 4.0f + time) * 0.5f;
    position[y * width + x] = make_float4(u, w, v, 1.0f);
}

void launch_waves(float4 *position, unsigned int width, unsigned int height, float time)
{
    dim3 block(8, 8, 1);
    dim3 grid(width / block.x, height / block.y, 1);
    waves<<<grid, block>>>(position, width, height, time);
}

void draw(void)
{
    float4 *dptr;
    size_t bytes;
    CHECK(cudaGraphicsMapResources(1, &resource, 0));
    CHECK(cudaGraphicsResourceGetMappedPointer((void **)&dptr, &bytes, resource));
    launch_waves(dptr, mesh_width, mesh_height, g_time);
    CHECK(cudaGraphicsUnmapResources(1, &resource, 0));
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnableClientState(GL_VERTEX_ARRAY);
    glColor3f(1.0, 0.0, 0.0);
    glDrawArrays(GL_POINTS, 0, mesh_width * mesh_height);
    glDisableClientState(GL_VERTEX_ARRAY);
    g_time += 0.01f;
}

int main(int argc, char **argv)
{
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, vbo, cudaGraphicsMapFlagsWriteDiscard));
    for (int frame = 0; frame < 10; frame++)
        draw();
    CHECK(cudaGraphicsUnregisterResource(resource));
    return 0;
}
