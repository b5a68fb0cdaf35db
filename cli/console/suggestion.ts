/**
 * Maximum number of similar words that an error message suggests for a mistyped word of the command line ("did you
 * mean").
 */
const MOST = 3;

/**
 * Returns the number of typing mistakes between two words: inserted, missing, replaced and swapped characters
 * (Damerau-Levenshtein distance with adjacent transpositions).
 */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/**
 * gsq suggests words for a mistyped word only if it has at most this length. Longer words would take long to compare.
 */
const LONGEST = 64;

/**
 * Returns the candidates that the user perhaps meant, nearest first. A candidate matches if it begins with the word, or
 * if it has at most one typing mistake for every three characters of the word.
 */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  if (word === '' || word.length > LONGEST) return [];
  const typed = word.toLowerCase();
  return [...new Set(candidates)]
    .map(candidate => {
      const full = candidate.toLowerCase();
      const isStart = typed.length >= 3 && full.startsWith(typed);
      return { candidate, mistakes: isStart ? 1 : distance(typed, full) };
    })
    .filter(({ mistakes }) => mistakes <= Math.max(1, Math.floor(typed.length / 3)))
    .sort((a, b) => a.mistakes - b.mistakes || a.candidate.length - b.candidate.length)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/**
 * Returns the end of an error message about a mistyped word, such as `; did you mean export?`. Returns an empty text if
 * `words`, the similar words, is empty.
 */
export function didYouMean(words: readonly string[]): string {
  return words.length === 0 ? '' : `; did you mean ${words.join(' or ')}?`;
}
