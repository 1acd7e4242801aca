#define A B
#define B A
#define F(x) G(x)+F(x)
#define G(x) F(x)+G(x)
int f(int a){return g(a);}
int g(int a){return f(a)+f(a);}
__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() {
  float* x;
  int n = A + F(2) + f(3); n = n; n = n + n;
  k<<<(n + 255) / 256, 256>>>(x, n);
}
