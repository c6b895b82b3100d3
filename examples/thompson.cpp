// Thompson sampling with Gaussian priors (Ou et al. 2024, Algorithm 1), over dpbandits' JSON lines.
// g++ -O2 -std=c++17 -o thompson thompson.cpp
// ./thompson         the algorithm
// ./thompson --bug   the same with a planted bug: the last step is greedy, without noise
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

// The messages are flat: a field's place is where its quoted name stands, and lists hold numbers.
static const char* field(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\"");
  return at == std::string::npos ? nullptr : line.c_str() + line.find(':', at) + 1;
}

static double number(const std::string& line, const std::string& name) { return std::strtod(field(line, name), nullptr); }

static std::vector<double> list(const std::string& line, const std::string& name) {
  std::vector<double> values;
  const char* from = field(line, name);
  while (*from != '[') ++from;
  for (++from;;) {
    char* end;
    const double value = std::strtod(from, &end);
    if (end == from) return values;
    values.push_back(value);
    for (from = end; *from == ',' || *from == ' ';) ++from;
  }
}

struct Run {
  std::mt19937_64 engine;
  std::normal_distribution<double> normal;
  std::vector<double> pulls, total;
};

int main(int count, char** words) {
  const bool bug = count > 1 && std::string(words[1]) == "--bug";
  std::ios::sync_with_stdio(false);
  std::vector<Run> runs;
  int arms = 0, horizon = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string request = field(line, "do");
    std::string answer = "{\"done\":true}";
    if (request.find("\"init\"") < 3) {
      arms = static_cast<int>(number(line, "arms"));
      horizon = static_cast<int>(number(line, "horizon"));
      runs.clear();
      for (const double seed : list(line, "seeds"))
        runs.push_back({std::mt19937_64(static_cast<std::uint64_t>(seed)), {}, std::vector<double>(arms), std::vector<double>(arms)});
    } else if (request.find("\"act\"") < 3) {
      const bool quiet = bug && number(line, "t") == horizon;
      answer = "{\"arms\":[";
      for (std::size_t k = 0; k < runs.size(); ++k) {
        auto& run = runs[k];
        int best = 0;
        double most = -INFINITY;
        for (int arm = 0; arm < arms; ++arm) {
          const double noise = run.normal(run.engine) / std::sqrt(run.pulls[arm] + 1);
          const double theta = run.total[arm] / (run.pulls[arm] + 1) + (quiet ? 0 : noise);
          if (theta > most) most = theta, best = arm;
        }
        answer += (k ? "," : "") + std::to_string(best);
      }
      answer += "]}";
    } else if (field(line, "counts")) {
      answer = "{\"error\":\"this program learns from single pulls\"}";
    } else {
      const auto pulled = list(line, "arms"), rewards = list(line, "rewards");
      for (std::size_t k = 0; k < runs.size(); ++k) {
        runs[k].pulls[static_cast<int>(pulled[k])] += 1;
        runs[k].total[static_cast<int>(pulled[k])] += rewards[k];
      }
    }
    std::cout << answer << '\n' << std::flush;
  }
}
