struct Node { Node* child[16]; Node* more[16]; float x; };
__global__ void k(Node* root, int n) { root[threadIdx.x].x = n; }
