#include "weft/dist/launch.hpp"

#include <cstdlib>

#include "test.hpp"

using namespace weft;

namespace {
/// Sets variables for the length of a scope; all others that tell of a launch are unset.
struct Environment {
  std::vector<std::pair<std::string, std::string>> before;
  explicit Environment(std::initializer_list<std::pair<const char*, const char*>> set) {
    for (const char* name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "WEFT_PORT",
                             "TORCHELASTIC_USE_AGENT_STORE",
                             "SLURM_PROCID",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID",
                             "SLURM_STEP_NODELIST",
                             "SLURM_JOB_ID",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "PMI_SIZE",
                             "PMI_RANK",
                             "MPI_LOCALRANKID",
                             "PMIX_RANK",
                             "MV2_COMM_WORLD_SIZE"}) {
      const char* const value = std::getenv(name);
      if (value != nullptr) before.emplace_back(name, value);
      unsetenv(name);
    }
    for (const auto& [name, value] : set) {
      setenv(name, value, 1);
      names.emplace_back(name);
    }
  }
  Environment(const Environment&) = delete;
  ~Environment() {
    for (const auto& name : names) unsetenv(name.c_str());
    for (const auto& [name, value] : before) setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::string> names;
};
}  // namespace

TEST_CASE("a process alone") {
  const Environment none({});
  const dist::Launch l = dist::launch_from_environment();
  CHECK(l.rank == 0);
  CHECK(l.size == 1);
  CHECK(!dist::started_by_mpi());
}

TEST_CASE("torchrun's variables") {
  const Environment torch({{"RANK", "3"},
                           {"WORLD_SIZE", "8"},
                           {"LOCAL_RANK", "1"},
                           {"MASTER_ADDR", "node7"},
                           {"MASTER_PORT", "29500"}});
  dist::Launch l = dist::launch_from_environment();
  CHECK(l.rank == 3);
  CHECK(l.size == 8);
  CHECK(l.local_rank == 1);
  CHECK(l.host == "node7");
  CHECK(l.port == 29500);
  setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
  CHECK(dist::launch_from_environment().port == 29501);
  setenv("WEFT_PORT", "4000", 1);
  CHECK(dist::launch_from_environment().port == 4000);
  setenv("RANK", "8", 1);
  CHECK_SAYS("rank 8 of 8, expected a rank below", dist::launch_from_environment());
  setenv("RANK", "x", 1);
  CHECK_SAYS("RANK is 'x', expected a number", dist::launch_from_environment());
  unsetenv("TORCHELASTIC_USE_AGENT_STORE");
  unsetenv("WEFT_PORT");
}

TEST_CASE("Slurm's variables") {
  const Environment slurm({{"SLURM_PROCID", "5"},
                           {"SLURM_STEP_NUM_TASKS", "16"},
                           {"SLURM_LOCALID", "1"},
                           {"SLURM_STEP_NODELIST", "gpu[03-06,11],x1"},
                           {"SLURM_JOB_ID", "123456"}});
  const dist::Launch l = dist::launch_from_environment();
  CHECK(l.rank == 5);
  CHECK(l.size == 16);
  CHECK(l.local_rank == 1);
  CHECK(l.host == "gpu03");
  CHECK(l.port == 23456);
}

TEST_CASE("the first host of a list") {
  CHECK(dist::detail::first_host("a") == "a");
  CHECK(dist::detail::first_host("a,b") == "a");
  CHECK(dist::detail::first_host("n[007,9]") == "n007");
  CHECK(dist::detail::first_host("n[12]") == "n12");
}

TEST_CASE("mpirun's variables, without MPI") {
  const Environment mpi({{"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_RANK", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}});
  CHECK(dist::started_by_mpi());
  const dist::Launch l = dist::launch_from_environment();
  CHECK(l.rank == 2);
  CHECK(l.local_rank == 2);
  CHECK(l.port >= 20000);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
  CHECK_SAYS("4 processes and no port of rank 0", dist::launch_from_environment());
}

TEST_CASE("mpirun's variables in a Slurm job, where its own processes are a step") {
  // As seen in a job of two nodes and four ranks.
  const Environment open_mpi({{"OMPI_COMM_WORLD_SIZE", "4"},
                              {"OMPI_COMM_WORLD_RANK", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                              {"MASTER_PORT", "29500"},
                              {"SLURM_PROCID", "0"},
                              {"SLURM_STEP_NUM_TASKS", "2"},
                              {"SLURM_STEP_NODELIST", "n[1-2]"},
                              {"SLURM_JOB_ID", "10"}});
  dist::Launch l = dist::launch_from_environment();
  CHECK(l.rank == 2);
  CHECK(l.size == 4);
  CHECK(l.local_rank == 2);
  const Environment mpich({{"PMI_SIZE", "4"},
                           {"PMI_RANK", "3"},
                           {"MPI_LOCALRANKID", "1"},
                           {"MASTER_PORT", "29500"},
                           {"SLURM_PROCID", "1"},
                           {"SLURM_STEP_NUM_TASKS", "2"}});
  l = dist::launch_from_environment();
  CHECK(l.rank == 3);
  CHECK(l.size == 4);
  // srun --mpi=pmi2 counts as Slurm does, and on several hosts no port follows from a parent.
  const Environment pmi2({{"PMI_SIZE", "2"},
                          {"PMI_RANK", "1"},
                          {"SLURM_PROCID", "1"},
                          {"SLURM_STEP_NUM_TASKS", "2"},
                          {"SLURM_STEP_NODELIST", "n[1-2]"},
                          {"SLURM_JOB_ID", "11"}});
  l = dist::launch_from_environment();
  CHECK(l.rank == 1);
  CHECK(l.host == "n1");
  CHECK(l.port == 20011);
}

TEST_CASE("the last address is this host itself") {
  CHECK(dist::detail::own_addresses().back() == "127.0.0.1");
}
