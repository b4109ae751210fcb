// Comes before libstdc++'s header of this name on the include path of instrumented code, and brings
// code that otherwise only the library has: how std::map and std::set walk over their red-black
// trees and keep them in balance. Compiled with the program, it is recorded. A tree's header node:
// parent is the root, left the first node, right the last.
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#if !defined(SOOTH_TREE_NODES) && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE <= 14
#define SOOTH_TREE_NODES
#line 9 "/usr/include/c++/sooth/tree_nodes" // the user's lines are those of the caller

namespace sooth_tree {

typedef std::_Rb_tree_node_base Node;

inline Node*& child(Node* node, bool left) { return left ? node->_M_left : node->_M_right; }
inline bool is_black(const Node* node) { return node == 0 || node->_M_color == std::_S_black; }

inline Node* outermost(Node* node, bool left) {
  while (Node* const next = child(node, left)) node = next;
  return node;
}

// The neighbour of a node in the order of the keys; from the last one (or the first) to the header.
inline Node* neighbour(Node* node, bool left) {
  if (Node* const below = child(node, left)) return outermost(below, !left);
  Node* above = node->_M_parent;
  while (node == child(above, left)) {
    node = above;
    above = above->_M_parent;
  }
  // If the root has no child on that side, the walk ends at the header, whose parent is the root.
  return child(node, left) != above ? above : node;
}

// `instead` takes the place of `node` below the node's parent.
inline void replace(Node* node, Node* instead, Node*& root) {
  Node* const above = node->_M_parent;
  if (node == root) root = instead;
  else child(above, above->_M_left == node) = instead;
}

// The node goes down to the left (or right), its other child up.
inline void rotate(Node* node, bool left, Node*& root) {
  Node* const up = child(node, !left);
  Node* const inner = child(up, left);
  child(node, !left) = inner;
  if (inner) inner->_M_parent = node;
  up->_M_parent = node->_M_parent;
  replace(node, up, root);
  child(up, left) = node;
  node->_M_parent = up;
}

// No red node has a red parent, after `node` was added as a red one.
inline void balance_after_insert(Node* node, Node*& root) {
  while (node != root && node->_M_parent->_M_color == std::_S_red) {
    Node* const above = node->_M_parent->_M_parent;
    const bool left = node->_M_parent == above->_M_left;
    Node* const uncle = child(above, !left);
    if (!is_black(uncle)) {
      node->_M_parent->_M_color = uncle->_M_color = std::_S_black;
      above->_M_color = std::_S_red;
      node = above;
      continue;
    }
    if (node == child(node->_M_parent, !left)) {
      node = node->_M_parent;
      rotate(node, left, root);
    }
    node->_M_parent->_M_color = std::_S_black;
    above->_M_color = std::_S_red;
    rotate(above, !left, root);
  }
  root->_M_color = std::_S_black;
}

// One black node is missing on all ways through `node` (which may be no node at all), a child of
// `above`.
inline void balance_after_erase(Node* node, Node* above, Node*& root) {
  while (node != root && is_black(node)) {
    const bool left = node == above->_M_left;
    Node* sibling = child(above, !left);
    if (sibling->_M_color == std::_S_red) {
      sibling->_M_color = std::_S_black;
      above->_M_color = std::_S_red;
      rotate(above, left, root);
      sibling = child(above, !left);
    }
    if (is_black(sibling->_M_left) && is_black(sibling->_M_right)) {
      sibling->_M_color = std::_S_red;
      node = above;
      above = above->_M_parent;
      continue;
    }
    if (is_black(child(sibling, !left))) {
      child(sibling, left)->_M_color = std::_S_black;
      sibling->_M_color = std::_S_red;
      rotate(sibling, !left, root);
      sibling = child(above, !left);
    }
    sibling->_M_color = above->_M_color;
    above->_M_color = std::_S_black;
    child(sibling, !left)->_M_color = std::_S_black;
    rotate(above, left, root);
    break;
  }
  if (node) node->_M_color = std::_S_black;
}

} // namespace sooth_tree

namespace std {

#define SOOTH_WEAK __attribute__((__weak__))

SOOTH_WEAK _Rb_tree_node_base* _Rb_tree_increment(_Rb_tree_node_base* node) _GLIBCXX_NOTHROW {
  return sooth_tree::neighbour(node, false);
}
SOOTH_WEAK const _Rb_tree_node_base* _Rb_tree_increment(const _Rb_tree_node_base* node) _GLIBCXX_NOTHROW {
  return sooth_tree::neighbour(const_cast<_Rb_tree_node_base*>(node), false);
}
// The header is red and the parent of its own parent, as no other node is: before the end comes the
// last one.
SOOTH_WEAK _Rb_tree_node_base* _Rb_tree_decrement(_Rb_tree_node_base* node) _GLIBCXX_NOTHROW {
  if (node->_M_color == _S_red && node->_M_parent->_M_parent == node) return node->_M_right;
  return sooth_tree::neighbour(node, true);
}
SOOTH_WEAK const _Rb_tree_node_base* _Rb_tree_decrement(const _Rb_tree_node_base* node) _GLIBCXX_NOTHROW {
  return _Rb_tree_decrement(const_cast<_Rb_tree_node_base*>(node));
}

SOOTH_WEAK void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base* node, _Rb_tree_node_base* above,
                                              _Rb_tree_node_base& header) _GLIBCXX_NOTHROW {
  node->_M_parent = above;
  node->_M_left = node->_M_right = 0;
  node->_M_color = _S_red;
  if (above == &header) header._M_parent = header._M_left = header._M_right = node;
  else {
    sooth_tree::child(above, left) = node;
    if (left && above == header._M_left) header._M_left = node;
    if (!left && above == header._M_right) header._M_right = node;
  }
  sooth_tree::balance_after_insert(node, header._M_parent);
}

// Takes `node` out of the tree and returns it.
SOOTH_WEAK _Rb_tree_node_base* _Rb_tree_rebalance_for_erase(_Rb_tree_node_base* const node,
                                                            _Rb_tree_node_base& header) _GLIBCXX_NOTHROW {
  _Rb_tree_node_base*& root = header._M_parent;
  _Rb_tree_node_base* rest;  // what stands below the place that becomes empty
  _Rb_tree_node_base* above; // that place's parent
  _Rb_tree_color lost = node->_M_color;
  if (node->_M_left != 0 && node->_M_right != 0) {
    // The next one takes the node's place and colour; its own place becomes empty.
    _Rb_tree_node_base* const next = sooth_tree::outermost(node->_M_right, true);
    lost = next->_M_color;
    rest = next->_M_right;
    above = next->_M_parent == node ? next : next->_M_parent;
    if (next->_M_parent != node) {
      if (rest) rest->_M_parent = above;
      above->_M_left = rest;
      next->_M_right = node->_M_right;
      next->_M_right->_M_parent = next;
    }
    next->_M_left = node->_M_left;
    next->_M_left->_M_parent = next;
    sooth_tree::replace(node, next, root);
    next->_M_parent = node->_M_parent;
    next->_M_color = node->_M_color;
    node->_M_color = lost;
  } else {
    rest = node->_M_left != 0 ? node->_M_left : node->_M_right;
    above = node->_M_parent;
    if (rest) rest->_M_parent = above;
    sooth_tree::replace(node, rest, root);
    if (header._M_left == node) header._M_left = rest ? sooth_tree::outermost(rest, true) : above;
    if (header._M_right == node) header._M_right = rest ? sooth_tree::outermost(rest, false) : above;
  }
  if (lost == _S_black) sooth_tree::balance_after_erase(rest, above, root);
  return node;
}

#undef SOOTH_WEAK
} // namespace std
#endif
