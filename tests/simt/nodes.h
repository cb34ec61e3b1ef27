/* nodes.h - What streams and graphs have to do, one node after the other. */
#pragma once
#include "internal.h"
#include <functional>

namespace simt {

struct Node; /* something that a stream does; without work, a point in the stream */
using NodePtr = std::shared_ptr<Node>;
using Work    = std::function<void()>;

/* Adds a node that comes after those of `before` that are not NULL.  front: NULL, or the one of them that needs only have begun */
NodePtr     new_node(const Work &work, const std::vector<NodePtr> &before, const NodePtr &front = nullptr);
bool        is_done(const NodePtr &node);
void        hurry();                       /* runs some nodes, none or all, at a random moment of a call */
cudaError_t wait_for(const NodePtr &node); /* as the host; NULL: for nothing */

/* Host functions may not call CUDA */
bool is_allowed();
void call_on_host(cudaHostFn_t function, void *data); /* in a node */

} // namespace simt
