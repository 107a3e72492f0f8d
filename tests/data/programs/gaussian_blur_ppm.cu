#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

/* Structure for a colour image, three bytes a pixel */
typedef struct {
    unsigned char red, green, blue;
} PPMPixel;

typedef struct {
    int x, y;
    PPMPixel *data;
} PPMImage;

#define RGB_COMPONENT_COLOR 255
#define MASK_WIDTH 5
#define TILE_WIDTH 16
#define SHARED (TILE_WIDTH + MASK_WIDTH - 1)
#define clamp_to(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

__constant__ float mask[MASK_WIDTH][MASK_WIDTH];

static PPMImage *readPPM(const char *filename)
{
    char buff[16];
    PPMImage *img;
    FILE *fp;
    int c, rgb_comp_color;
    fp = fopen(filename, "rb");
    if (!fp) {
        fprintf(stderr, "Unable to open file '%s'\n", filename);
        exit(1);
    }
    if (!fgets(buff, sizeof(buff), fp)) {
        perror(filename);
        exit(1);
    }
    if (buff[0] != 'P' || buff[1] != '6') {
        fprintf(stderr, "Invalid image format (must be 'P6')\n");
        exit(1);
    }
    img = (PPMImage *)malloc(sizeof(PPMImage));
    //check for comments
    c = getc(fp);
    while (c == '#') {
        while (getc(fp) != '\n') ;
        c = getc(fp);
    }
    ungetc(c, fp);
    if (fscanf(fp, "%d %d", &img->x, &img->y) != 2 || fscanf(fp, "%d", &rgb_comp_color) != 1) {
        fprintf(stderr, "Invalid image size (error loading '%s')\n", filename);
        exit(1);
    }
    while (fgetc(fp) != '\n') ;
    img->data = (PPMPixel*)malloc(img->x * img->y * sizeof(PPMPixel));
    if (fread(img->data, 3 * img->x, img->y, fp) != (size_t)img->y) {
        fprintf(stderr, "Error loading image '%s'\n", filename);
        exit(1);
    }
    fclose(fp);
    return img;
}

void writePPM(const char *filename, PPMImage *img)
{
    FILE *fp = fopen(filename, "wb");
    fprintf(fp, "P6\n");
    fprintf(fp, "%d %d\n%d\n", img->x, img->y, RGB_COMPONENT_COLOR);
    fwrite(img->data, 3 * img->x, img->y, fp);
    fclose(fp);
}

__global__ void blur(const PPMPixel *in, PPMPixel *out, int width, int height)
{
    __shared__ PPMPixel tile[SHARED][SHARED];
    int half = MASK_WIDTH / 2;
    for (int i = threadIdx.y; i < SHARED; i += TILE_WIDTH)
        for (int j = threadIdx.x; j < SHARED; j += TILE_WIDTH) {
            int y = clamp_to((int)(blockIdx.y * TILE_WIDTH) + i - half, 0, height - 1);
            int x = clamp_to((int)(blockIdx.x * TILE_WIDTH) + j - half, 0, width - 1);
            tile[i][j] = in[y * width + x];
        }
    __syncthreads();
    int x = blockIdx.x * TILE_WIDTH + threadIdx.x, y = blockIdx.y * TILE_WIDTH + threadIdx.y;
    if (x >= width || y >= height) return;
    float3 sum = make_float3(0.f, 0.f, 0.f);
    for (int i = 0; i < MASK_WIDTH; i++)
        for (int j = 0; j < MASK_WIDTH; j++) {
            PPMPixel p = tile[threadIdx.y + i][threadIdx.x + j];
            sum.x += mask[i][j] * p.red;
            sum.y += mask[i][j] * p.green;
            sum.z += mask[i][j] * p.blue;
        }
    PPMPixel r = {(unsigned char)sum.x, (unsigned char)sum.y, (unsigned char)sum.z};
    out[y * width + x] = r;
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        printf("usage: %s in.ppm out.ppm\n", argv[0]);
        return 1;
    }
    PPMImage *image = readPPM(argv[1]);
    float h_mask[MASK_WIDTH][MASK_WIDTH], total = 0;
    int i, j;
    for (i = 0; i < MASK_WIDTH; i++)
        for (j = 0; j < MASK_WIDTH; j++)
            total += h_mask[i][j] = expf(-((i - 2) * (i - 2) + (j - 2) * (j - 2)) / 2.0f);
    for (i = 0; i < MASK_WIDTH; i++)
        for (j = 0; j < MASK_WIDTH; j++)
            h_mask[i][j] /= total;
    cudaMemcpyToSymbol(mask, h_mask, sizeof(h_mask));

    PPMPixel *d_in, *d_out;
    size_t bytes = (size_t)image->x * image->y * sizeof(PPMPixel);
    cudaMalloc((void **)&d_in, bytes);
    cudaMalloc((void **)&d_out, bytes);
    cudaMemcpy(d_in, image->data, bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE_WIDTH, TILE_WIDTH), grid((image->x - 1) / TILE_WIDTH + 1, (image->y - 1) / TILE_WIDTH + 1);
    blur<<<grid, block>>>(d_in, d_out, image->x, image->y);
    cudaMemcpy(image->data, d_out, bytes, cudaMemcpyDeviceToHost);
    writePPM(argv[2], image);
    cudaFree(d_in);
    cudaFree(d_out);
    free(image->data);
    free(image);
    return 0;
}
