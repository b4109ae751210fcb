// Comes before libstdc++'s header of this name on the include path of instrumented code, and brings
// code that otherwise only the library has: how nodes of std::list are linked. Compiled with the
// program, it is recorded.
#pragma GCC system_header
#include_next <bits/stl_list.h>
#if !defined(SOOTH_LIST_NODES) && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE <= 14 && !defined(_GLIBCXX_DEBUG)
#define SOOTH_LIST_NODES
#line 8 "/usr/include/c++/sooth/list_nodes" // the user's lines are those of the caller

#define SOOTH_NODE __attribute__((__weak__)) void std::__detail::_List_node_base

SOOTH_NODE::_M_hook(_List_node_base* const position) _GLIBCXX_USE_NOEXCEPT {
  _List_node_base* const before = position->_M_prev;
  _M_next = position;
  _M_prev = before;
  before->_M_next = this;
  position->_M_prev = this;
}

SOOTH_NODE::_M_unhook() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base* const after = _M_next;
  _List_node_base* const before = _M_prev;
  before->_M_next = after;
  after->_M_prev = before;
}

// The nodes from `first` up to the one before `last` come to stand before this one.
SOOTH_NODE::_M_transfer(_List_node_base* const first, _List_node_base* const last) _GLIBCXX_USE_NOEXCEPT {
  if (this == last) return;
  _List_node_base* const before = _M_prev;
  _List_node_base* const final_one = last->_M_prev;
  _List_node_base* const before_first = first->_M_prev;
  before_first->_M_next = last;
  last->_M_prev = before_first;
  before->_M_next = first;
  first->_M_prev = before;
  final_one->_M_next = this;
  _M_prev = final_one;
}

SOOTH_NODE::_M_reverse() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base* node = this;
  do {
    _List_node_base* const next = node->_M_next;
    node->_M_next = node->_M_prev;
    node->_M_prev = next;
    node = next;
  } while (node != this);
}

SOOTH_NODE::swap(_List_node_base& a, _List_node_base& b) _GLIBCXX_USE_NOEXCEPT {
  _List_node_base* const a_next = a._M_next;
  _List_node_base* const a_prev = a._M_prev;
  _List_node_base* const b_next = b._M_next;
  _List_node_base* const b_prev = b._M_prev;
  if (b_next == &b) a._M_next = a._M_prev = &a; // empty lists point to themselves
  else {
    a._M_next = b_next;
    a._M_prev = b_prev;
    b_next->_M_prev = b_prev->_M_next = &a;
  }
  if (a_next == &a) b._M_next = b._M_prev = &b;
  else {
    b._M_next = a_next;
    b._M_prev = a_prev;
    a_next->_M_prev = a_prev->_M_next = &b;
  }
}

#undef SOOTH_NODE
#endif
