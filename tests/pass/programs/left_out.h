#pragma once
inline int by_source;
inline void from_header(int n) { by_source = n; }
