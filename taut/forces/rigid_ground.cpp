#include "taut/forces/rigid_ground.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

// Above this a point over a height field is in the air at the beginning of a step, m.
constexpr double near_surface = 1e-6;
// A bar touches at no more points at once than these, the deepest.
constexpr int most_along = 5;
constexpr long bar_ids = 1L << 20;  // per bar

Triple<double> triple_of(const Vec3& a) { return {a.x(), a.y(), a.z()}; }

Vec3 at_point(const double* of_nodes, const RigidTouch& touch) {
  if (touch.nodes == 1) return Vec3(of_nodes + 4 * touch.node[0]);
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < touch.nodes; ++k) sum += touch.weight[k] * Vec3(of_nodes + 4 * touch.node[k]);
  return sum;
}

bool listed_already(const RigidTerms& terms, long id) {
  return std::any_of(terms.touches.begin(), terms.touches.end(), [&](const RigidTouch& t) { return t.id == id; });
}

}  // namespace

RigidGround::RigidGround(const Model& model) {
  if (!model.ground || model.ground->law != PressKind::rigid) return;
  const Ground& ground = *model.ground;
  nodes_ = model.nodes.size();
  surface_.emplace(ground);
  friction_ = ground.friction, restitution_ = ground.restitution;
  touches_.assign(nodes_, 0);
  for (std::size_t i = 0; i < nodes_; ++i)
    if (can_touch(model.nodes[i])) touching_nodes_.push_back(static_cast<int>(i)), touches_[i] = 1;
  bars_ = bars_on_ground(model, *surface_);
  // An impulse on a point between two nodes needs them in one problem, and an elastic bar leaves them apart.
  std::erase_if(bars_, [&](const GroundBar& bar) { return model.bars[bar.bar].elastic; });
  points_ = bodies_on_ground(model, *surface_);
  if (!bars_.empty() || !points_.empty()) riders_of_node_.resize(nodes_);
  for (std::size_t k = 0; k < bars_.size(); ++k)
    for (const int node : {bars_[k].a, bars_[k].b}) riders_of_node_[node].push_back(static_cast<int>(k));
  for (std::size_t k = 0; k < points_.size(); ++k)
    for (const int node : points_[k].node) riders_of_node_[node].push_back(static_cast<int>(bars_.size() + k));
  if (!surface_->plane()) return;
  const Vec3 n = ground.normal.normalized();
  normal_ = Vec4{n.x(), n.y(), n.z(), 0.0};
  plane_frame_ = contact_frame(triple_of(n));
  // Four at a time: room for whole groups of them.
  reach_.assign((nodes_ + 3) / 4 * 4, -std::numeric_limits<double>::infinity());
  const Vec3 origin = Vec3::Zero();
  for (const int i : touching_nodes_) reach_[i] = surface_->depth(origin.data());
}

RigidTerms RigidGround::make_terms() const {
  RigidTerms terms;
  if (!any()) return terms;
  for (AlignedDoubles* array : {&terms.x, &terms.v, &terms.impulse}) array->assign(4 * nodes_, 0.0);
  terms.pressed.assign(3 * nodes_, 0.0);
  terms.touches.reserve(nodes_ + most_along * bars_.size() + points_.size());
  return terms;
}

// Fills in what the touch needs if it touches. `reach` is how far it reaches below the point, of balls and rims.
bool RigidGround::test(const Move& move, const RigidTerms& terms, RigidTouch& touch, double reach) const {
  const Vec3 to = at_point(move.x, touch);
  if (move.moves && !(surface_->depth(to.data()) + reach > 0.0)) return false;
  const Vec3 from = at_point(terms.x.data(), touch);
  const double before = surface_->depth(from.data()) + reach;
  if (!move.moves && !(before > -touching_gap)) return false;
  const Vec3 velocity = at_point(move.v, touch), old = at_point(terms.v.data(), touch);
  Vec3 normal;
  double wanted = 0.0;
  const auto down = [&](const Vec3& at) { return surface_->depth_and_gradient(at.data()); };
  if (surface_->plane()) {
    touch.frame = plane_frame_;
    wanted = move.moves ? before / move.h : 0.0;
  } else {
    const bool in_air = move.moves && before < -near_surface;
    const auto [d, gradient] = down(in_air ? to : from);
    normal = -gradient.normalized();
    touch.frame = contact_frame(triple_of(normal));
    if (move.moves) wanted = in_air ? normal.dot(velocity) + (d + reach) / (move.h * gradient.norm()) : before / move.h;
  }
  touch.before = to_frame(touch.frame, triple_of(old));
  touch.wanted = std::min(wanted, push_out + 0.5 * old.norm());
  touch.bounce = touch.wanted;
  if (!move.moves) return touch.before.x > -1e-4 * arrival_speed;
  if (restitution_ > 0.0 && touch.before.x < -arrival_speed)
    touch.bounce = std::max(touch.wanted, -restitution_ * touch.before.x);
  return true;
}

void RigidGround::look_at_node(int node, const Move& move, RigidTerms& terms) const {
  RigidTouch touch{.id = node, .nodes = 1, .node = {node}, .weight = {1.0}};
  if (test(move, terms, touch, 0.0)) terms.touches.push_back(touch);
}

void RigidGround::look_along(int index, const Move& move, RigidTerms& terms) const {
  const GroundBar& bar = bars_[index];
  const double* const xa = move.x + 4 * bar.a;
  const double* const xb = move.x + 4 * bar.b;
  if (move.moves && surface_->surely_above(xa) && surface_->surely_above(xb)) return;
  const Vec3 a(xa), along = Vec3(xb) - a;
  std::array<std::pair<double, int>, most_along + 1> deepest;
  int count = 0;
  for (int k = 1; k <= bar.points; ++k) {
    const Vec3 at = a + (k / (bar.points + 1.0)) * along;
    const double depth = surface_->depth(at.data());
    if (!(depth > -touching_gap)) continue;
    int place = count = std::min(count + 1, most_along + 1);
    for (--place; place > 0 && deepest[place - 1].first < depth; --place) deepest[place] = deepest[place - 1];
    deepest[place] = {depth, k};
    count = std::min(count, most_along);
  }
  for (int i = 0; i < count; ++i) {
    const int k = deepest[i].second;
    const double s = k / (bar.points + 1.0);
    RigidTouch touch{.id = static_cast<long>(nodes_) + bar_ids * index + k,
                     .nodes = 2,
                     .node = {bar.a, bar.b},
                     .weight = {1.0 - s, s}};
    if (!listed_already(terms, touch.id) && test(move, terms, touch, 0.0)) terms.touches.push_back(touch);
  }
}

// Of balls and rims the deepest point of the surface at the end of the move.
void RigidGround::look_at_body(int index, const Move& move, RigidTerms& terms) const {
  const GroundPoint& point = points_[index];
  RigidTouch touch{.id = static_cast<long>(nodes_) + bar_ids * std::ssize(bars_) + index,
                   .nodes = 4,
                   .node = point.node,
                   .weight = point.weight};
  if (listed_already(terms, touch.id)) return;
  double reach = 0.0;
  if (point.kind != GroundPoint::Kind::point) {
    const Vec3 centre = at_point(move.x, touch);
    const Vec3 down = surface_->depth_and_gradient(centre.data()).gradient.normalized();
    Reach deep{point.radius, point.radius * down};
    if (point.kind == GroundPoint::Kind::rim) {
      RigidTouch axis = touch;
      axis.weight = point.axis;
      deep = reach_of_rim(at_point(move.x, axis), point.radius, down);
    }
    // The weights of that point.
    const Vec3 origin(move.x + 4 * point.node[0]);
    Mat3 edges;
    for (int k = 1; k < 4; ++k) edges.col(k - 1) = Vec3(move.x + 4 * point.node[k]) - origin;
    const Vec3 part = edges.inverse() * (centre + deep.point - origin);
    touch.weight = {1.0 - part.sum(), part[0], part[1], part[2]};
    // What the point itself lacks to the depth of the ball or rim.
    reach = surface_->depth(centre.data()) + deep.depth - surface_->depth(at_point(move.x, touch).data());
  }
  if (test(move, terms, touch, reach)) terms.touches.push_back(touch);
}

void RigidGround::find(double h, bool moves, const double* x, const double* v, RigidTerms& terms) const {
  terms.touches.clear();
  const Move move{h, moves, x, v};
  if (surface_->plane()) {
    const double least = moves ? 0.0 : -touching_gap;
    const int n = static_cast<int>(nodes_);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
      const double* const at = x + 4 * i;
      const Vec4 d = load4(&reach_[i]) - lane_sums(normal_ * load4(at), normal_ * load4(at + 4),
                                                   normal_ * load4(at + 8), normal_ * load4(at + 12));
      for (int k = 0; k < 4; ++k)
        if (d[k] > least) look_at_node(i + k, move, terms);
    }
    for (; i < n; ++i)
      if (reach_[i] - dot(normal_, load4(x + 4 * i)) > least) look_at_node(i, move, terms);
  } else {
    for (const int i : touching_nodes_)
      if (!moves || !surface_->surely_above(x + 4 * i)) look_at_node(i, move, terms);
  }
  for (std::size_t k = 0; k < bars_.size(); ++k) look_along(static_cast<int>(k), move, terms);
  for (std::size_t k = 0; k < points_.size(); ++k) look_at_body(static_cast<int>(k), move, terms);
}

bool RigidGround::find_more(int node, double h, const double* x, const double* v, RigidTerms& terms) const {
  const std::size_t before = terms.touches.size();
  const Move move{h, true, x, v};
  if (touches_[node] && !listed_already(terms, node)) look_at_node(node, move, terms);
  if (riders_of_node_.empty()) return terms.touches.size() > before;
  const int bars = static_cast<int>(bars_.size());
  for (const int rider : riders_of_node_[node])
    if (rider < bars)
      look_along(rider, move, terms);
    else
      look_at_body(rider - bars, move, terms);
  return terms.touches.size() > before;
}

}  // namespace taut
