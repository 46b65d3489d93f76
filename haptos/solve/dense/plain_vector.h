// Eight scalars without vector instructions, for the dense kernels: included inside a namespace
// that defines Scalar and fused(). No guard.

struct V8 {
  Scalar v[8];
};
inline V8 load(const Scalar* p) {
  V8 r;
  for (int i = 0; i < 8; ++i) r.v[i] = p[i];
  return r;
}
inline void store(Scalar* p, V8 a) {
  for (int i = 0; i < 8; ++i) p[i] = a.v[i];
}
inline V8 zero() { return V8{}; }
inline V8 splat(const Scalar* p) {
  V8 r;
  for (int i = 0; i < 8; ++i) r.v[i] = *p;
  return r;
}
inline V8 multiply(V8 a, V8 b) {
  for (int i = 0; i < 8; ++i) a.v[i] *= b.v[i];
  return a;
}
inline V8 plus(V8 a, V8 b) {
  for (int i = 0; i < 8; ++i) a.v[i] += b.v[i];
  return a;
}
inline V8 subtract(V8 a, V8 b) {
  for (int i = 0; i < 8; ++i) a.v[i] -= b.v[i];
  return a;
}
inline V8 add_product(V8 a, V8 b, V8 c) {
  for (int i = 0; i < 8; ++i) c.v[i] = fused(a.v[i], b.v[i], c.v[i]);
  return c;
}
inline V8 subtract_product(V8 a, V8 b, V8 c) {
  for (int i = 0; i < 8; ++i) c.v[i] = fused(-a.v[i], b.v[i], c.v[i]);
  return c;
}
inline Scalar lane(V8 a, int i) { return a.v[i]; }
inline V8 splat_value(Scalar a) { return splat(&a); }
inline V8 splat_lane(V8 a, int i) { return splat(&a.v[i]); }
inline Scalar sum(V8 a) {
  return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
