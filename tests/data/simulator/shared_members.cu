struct Tile { int id; int a[4]; int b[4]; float c; int m[2][4]; };
struct Pair { int a[4]; int b[4]; };
extern "C" __global__ void member(int* out, int n) {
  __shared__ Tile tile;
  tile.a[n] = 1; tile.b[n & 3] = 2;
  out[0] = tile.a[n & 3];
}
extern "C" __global__ void whole(int* out, int n) {
  __shared__ Tile tile; __shared__ Pair pair;
  int sum = 0;
  for (unsigned i = 0; i < sizeof(Tile); i++) ((char*)&tile)[i] = 0;
  for (unsigned i = 0; i < sizeof(Pair) / 4; i++) ((int*)&pair)[i] = i;
  for (int i = 0; i < n; i++) sum += pair.b[i] + tile.m[1][i] + ((int*)&pair)[i + n];
  int* words = (int*)&pair;
  for (int i = 0; i < 8; i++) sum += words[i];
  out[0] = sum;
}
