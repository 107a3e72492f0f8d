#include "record.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

namespace recording {
namespace {

constexpr size_t kPage = 4096;
// Overruns of the program's own hit nothing of another allocation.
constexpr size_t kMargin = 16 * kPage;
// A loop that waits for results, of which there are none, does not end.
constexpr int kMostLines = 5000;
constexpr size_t kMostBytes = 1 << 16;

struct Allocation {
    int number;
    size_t size;
};

// Constructed when first used: registration runs before the constructors of this file.
struct State {
    std::recursive_mutex lock;
    std::map<uintptr_t, Allocation> allocations;
    std::map<const void *, std::string> kernels;
    std::map<const void *, Variable> variables;
    std::map<std::string, std::vector<size_t>> parameters;
    FILE *out = stderr;
    int lines = 0;

    State()
    {
        if (const char *path = getenv("RECORDING")) out = fopen(path, "w");
        if (!out) abort();
        std::ifstream in(getenv("RECORDING_PARAMETERS") ? getenv("RECORDING_PARAMETERS") : "");
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string name;
            words >> name;
            for (size_t size; words >> size;) parameters[name].push_back(size);
            parameters[name];
        }
    }
};

State &state()
{
    static State *it = new State;
    return *it;
}

using Guard = std::lock_guard<std::recursive_mutex>;

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string demangled(const std::string &name)
{
    int status = 0;
    char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string out = status == 0 && text ? text : name;
    free(text);
    return out;
}

std::string hex(const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = static_cast<const unsigned char *>(bytes)[i];
        out += digits[c >> 4];
        out += digits[c & 15];
    }
    return out;
}

std::string three(const dim3 &d)
{
    return "[" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "]";
}

// A parameter: its bytes, and by offset what those eight bytes point to where they are a pointer.
// A pointer's own bytes are zero there, as they differ from run to run.
std::string argument(const void *parameter, size_t size)
{
    std::vector<char> bytes(static_cast<const char *>(parameter), static_cast<const char *>(parameter) + size);
    std::string out = "\"pointers\": {";
    bool first = true;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        void *pointer;
        memcpy(&pointer, bytes.data() + at, sizeof pointer);
        Place place;
        if (!place_of(pointer, place)) continue;
        out += (first ? "\"" : ", \"") + std::to_string(at) + "\": [" + std::to_string(place.allocation) +
               ", " + std::to_string(place.offset) + ", " + std::to_string(place.size) + "]";
        memset(bytes.data() + at, 0, sizeof pointer);
        first = false;
    }
    return "{\"bytes\": \"" + hex(bytes.data(), size) + "\", " + out + "}}";
}

void write_line(const std::string &line)
{
    State &s = state();
    fprintf(s.out, "%s\n", line.c_str());
    fflush(s.out);
    if (++s.lines >= kMostLines) _exit(0);
}

}  // namespace

void *allocate(size_t bytes)
{
    State &s = state();
    Guard guard(s.lock);
    size_t whole = (bytes + kPage - 1) / kPage * kPage + 2 * kMargin;
    void *base = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    char *pointer = static_cast<char *>(base) + kMargin;
    int number = static_cast<int>(s.allocations.size());
    s.allocations[reinterpret_cast<uintptr_t>(pointer)] = {number, bytes};
    return pointer;
}

void enroll(void *pointer, size_t bytes)
{
    State &s = state();
    Guard guard(s.lock);
    int number = static_cast<int>(s.allocations.size());
    s.allocations.insert({reinterpret_cast<uintptr_t>(pointer), {number, bytes}});
}

void release(void *pointer)
{
    State &s = state();
    Guard guard(s.lock);
    auto found = s.allocations.find(reinterpret_cast<uintptr_t>(pointer));
    // The address stays taken, so that no later allocation is called by a number of this one.
    if (found != s.allocations.end()) madvise(pointer, found->second.size, MADV_DONTNEED);
}

bool place_of(const void *pointer, Place &place)
{
    State &s = state();
    Guard guard(s.lock);
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    auto found = s.allocations.upper_bound(address);
    if (found == s.allocations.begin()) return false;
    --found;
    size_t offset = address - found->first;
    if (offset > found->second.size) return false;
    place = {found->second.number, offset, found->second.size};
    return true;
}

void name_kernel(const void *address, const char *name)
{
    State &s = state();
    Guard guard(s.lock);
    s.kernels[address] = name;
}

std::string kernel_at(const void *address)
{
    State &s = state();
    Guard guard(s.lock);
    auto found = s.kernels.find(address);
    return found == s.kernels.end() ? "?" : found->second;
}

void name_variable(const void *address, const char *name, void *memory, size_t size)
{
    State &s = state();
    Guard guard(s.lock);
    s.variables[address] = {name, memory, size};
}

Variable *variable_at(const void *address)
{
    State &s = state();
    Guard guard(s.lock);
    auto found = s.variables.find(address);
    return found == s.variables.end() ? nullptr : &found->second;
}

void write_launch(const Launch &launch)
{
    State &s = state();
    Guard guard(s.lock);
    std::string line = "{\"launch\": " + quoted(launch.kernel) + ", \"demangled\": " +
                       quoted(demangled(launch.kernel)) + ", \"by\": " + quoted(launch.by) +
                       ", \"grid\": " + three(launch.grid) + ", \"block\": " + three(launch.block) +
                       ", \"shared\": " + std::to_string(launch.shared) +
                       ", \"cluster\": " + (launch.cluster.x ? three(launch.cluster) : "null") +
                       ", \"cooperative\": " + (launch.cooperative ? "true" : "false") + ", \"arguments\": ";
    auto sizes = s.parameters.find(launch.kernel);
    if (sizes == s.parameters.end() || (!launch.arguments && !sizes->second.empty())) {
        line += "null";
    } else {
        line += "[";
        for (size_t i = 0; i < sizes->second.size(); i++)
            line += (i ? ", " : "") + argument(launch.arguments[i], sizes->second[i]);
        line += "]";
    }
    write_line(line + "}");
}

void write_copy(const char *direction, const std::string &variable, const void *bytes, size_t count, size_t offset)
{
    State &s = state();
    Guard guard(s.lock);
    write_line("{\"copy\": " + quoted(direction) + ", \"variable\": " + quoted(variable) +
               ", \"offset\": " + std::to_string(offset) + ", \"size\": " + std::to_string(count) +
               ", \"bytes\": \"" + hex(bytes, count < kMostBytes ? count : kMostBytes) + "\"}");
}

void write_call(const char *function)
{
    State &s = state();
    Guard guard(s.lock);
    write_line("{\"call\": " + quoted(function) + "}");
}

}  // namespace recording
