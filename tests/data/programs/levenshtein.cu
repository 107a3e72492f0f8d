// Edit distance of one word to a whole dictionary: one thread per word, one row of the table each
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <unordered_set>
#include <vector>

using namespace std;

#define MAX_LEN 32

struct Word
{
    char letters[MAX_LEN];
    unsigned char length;
};

template <class T> __device__ T min3(T a, T b, T c) { return min(a, min(b, c)); }

__global__ void distances(const Word *words, int count, Word pattern, unsigned char *result)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count)
        return;
    const Word &word = words[id];
    unsigned char row[MAX_LEN + 1];
    for (int j = 0; j <= pattern.length; j++)
        row[j] = j;
    for (int i = 1; i <= word.length; i++)
    {
        unsigned char diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= pattern.length; j++)
        {
            unsigned char above = row[j];
            int cost = word.letters[i - 1] != pattern.letters[j - 1];
            row[j] = min3<int>(above + 1, row[j - 1] + 1, diagonal + cost);
            diagonal = above;
        }
    }
    result[id] = row[pattern.length];
}

Word makeWord(string s)
{
    Word w = {};
    transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return tolower(c); });
    w.length = (unsigned char)min<size_t>(s.size(), MAX_LEN);
    memcpy(w.letters, s.data(), w.length);
    return w;
}

int main(int argc, char *argv[])
{
    const string pattern = argc > 1 ? argv[1] : "kernal";
    vector<string> dictionary = {"kernel", "colonel", "channel", "kennel", "thread", "journal"};
    if (argc > 2)
    {
        ifstream file(argv[2]);
        unordered_set<string> seen;
        dictionary.clear();
        for (string s; file >> s;)
            if (seen.insert(s).second)
                dictionary.push_back(s);
    }
    vector<Word> words(dictionary.size());
    transform(dictionary.begin(), dictionary.end(), words.begin(), makeWord);

    Word *d_words;
    unsigned char *d_result;
    int count = (int)words.size();
    cudaMalloc(&d_words, count * sizeof(Word));
    cudaMalloc(&d_result, count);
    cudaMemcpy(d_words, words.data(), count * sizeof(Word), cudaMemcpyHostToDevice);
    distances<<<(count + 127) / 128, 128>>>(d_words, count, makeWord(pattern), d_result);
    vector<unsigned char> result(count);
    cudaMemcpy(result.data(), d_result, count, cudaMemcpyDeviceToHost);

    vector<int> order(count);
    for (int i = 0; i < count; i++) order[i] = i;
    stable_sort(order.begin(), order.end(), [&result](int a, int b) { return result[a] < result[b]; });
    for (int i = 0; i < min(count, 10); i++)
        cout << int(result[order[i]]) << '\t' << dictionary[order[i]] << '\n';
    cudaFree(d_words);
    cudaFree(d_result);
    return 0;
}
