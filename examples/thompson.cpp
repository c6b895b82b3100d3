// Thompson sampling with Gaussian priors (Ou et al. 2024, Algorithm 1), over dpbandits' JSON lines.
// g++ -O2 -std=c++17 -o thompson thompson.cpp
// ./thompson         the algorithm
// ./thompson --bug   the same with a planted bug: the last step is greedy, without noise
// ./thompson --vectors tapes.json   plays dpbandits' golden tapes instead, and says how many came out right
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

// A field's place is where its quoted name stands; lists hold numbers, or lists of as many numbers each, one after another.
static const char* field(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\"");
  return at == std::string::npos ? nullptr : line.c_str() + line.find(':', at) + 1;
}

static double number(const std::string& line, const std::string& name) { return std::strtod(field(line, name), nullptr); }

static std::vector<double> list(const std::string& line, const std::string& name) {
  std::vector<double> values;
  const char* from = field(line, name);
  while (*from != '[') ++from;
  int depth = 0;
  do {
    if (*from == '[') ++depth;
    if (*from == ']') --depth;
    char* end = nullptr;
    const bool starts = *from == '-' || (*from >= '0' && *from <= '9');
    if (starts) values.push_back(std::strtod(from, &end));
    from = starts ? end : from + 1;
  } while (depth > 0);
  return values;
}

struct Run {
  std::mt19937_64 engine;
  std::normal_distribution<double> normal;
  std::vector<double> pulls, total;
};

// The arm with the largest theta; noise(arm) is standard normal.
template <class Noise>
static int best_of(const Run& run, Noise noise) {
  int best = 0;
  double most = -INFINITY;
  for (int arm = 0; arm < static_cast<int>(run.pulls.size()); ++arm) {
    const double theta = run.total[arm] / (run.pulls[arm] + 1) + noise(arm) / std::sqrt(run.pulls[arm] + 1);
    if (theta > most) most = theta, best = arm;
  }
  return best;
}

// A file of golden tapes has one on each line. Its draws stand in the order of the steps.
static int check(const char* path, bool bug) {
  std::ifstream file(path);
  int right = 0, tapes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"ou24.ThompsonSampling\"") == std::string::npos) continue;
    const int arms = static_cast<int>(number(line, "arms")), horizon = static_cast<int>(number(line, "horizon"));
    const auto rewards = list(line, "rewards"), released = list(line, "released");
    Run run{{}, {}, std::vector<double>(arms), std::vector<double>(arms)};
    bool same = true;
    std::string rest = line;
    for (int step = 0; step < horizon; ++step) {
      rest = field(rest, "values");
      const auto noise = list("\"values\":" + rest, "values");
      const bool quiet = bug && step + 1 == horizon;
      const int arm = best_of(run, [&](int k) { return quiet ? 0 : noise[k]; });
      same = same && released[step * arms + arm] == 1;
      run.total[arm] += rewards[arm * horizon + static_cast<int>(run.pulls[arm])];
      run.pulls[arm] += 1;
    }
    ++tapes, right += same;
  }
  std::cout << right << " of " << tapes << " tapes\n";
  return right < tapes;
}

int main(int count, char** words) {
  bool bug = false;
  for (int k = 1; k < count; ++k) bug = bug || std::string(words[k]) == "--bug";
  for (int k = 1; k + 1 < count; ++k)
    if (std::string(words[k]) == "--vectors") return check(words[k + 1], bug);
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
        const int best = best_of(run, [&](int) { return quiet ? 0 : run.normal(run.engine); });
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
