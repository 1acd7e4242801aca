struct S0 { float a, b, c, d, e, f, g, h, i, j; };
struct S1 { S0 a, b, c, d, e, f, g, h, i, j; };
struct S2 { S1 a, b, c, d, e, f, g, h, i, j; };
struct S3 { S2 a, b, c, d, e, f, g, h, i, j; };
struct S4 { S3 a, b, c, d, e, f, g, h, i, j; };
struct S5 { S4 a, b, c, d, e, f, g, h, i, j; };
struct S6 { S5 a, b, c, d, e, f, g, h, i, j; };
struct S7 { S6 a, b, c, d, e, f, g, h, i, j; };
struct S8 { S7 a, b, c, d, e, f, g, h, i, j; };
__global__ void k(S8* p, S8 q) { }
