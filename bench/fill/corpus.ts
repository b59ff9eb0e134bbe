import { tagKey } from '#shared/core/text.ts';
import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { limits } from '#shared/core/limits.ts';
import { normalizeTags } from '#shared/posts/tags.ts';
import { type Random, zipf } from './random.ts';

/** The source material of generated texts. */
export type Corpus = {
  /** Where the texts come from, for the report. */
  source: string;
  titles: string[];
  /** Sentences without Markdown syntax: the rendered text equals the source. */
  sentences: string[];
  tags: string[];
  names: string[];
};

type Post = { markdown: string; author: string };
type Thread = Post & { title: string; tags: string[]; answers: Post[] };

const archive = path.join(projectRoot, '../shared/data/onstartups-markdown/threads.jsonl.gz');

/** Reads the OnStartups archive if it is next to the checkout, otherwise the demo community. */
export async function readCorpus(file = archive): Promise<Corpus> {
  const exists = existsSync(file);
  const threads = exists ? await readThreads(file) : await readDemo();
  const posts = threads.flatMap((thread) => [thread, ...thread.answers]);
  return {
    source: exists ? 'OnStartups Answers (CC BY-SA)' : 'texts of the demo',
    titles: threads
      .map((thread) => thread.title.replace(/\s+/gu, ' ').trim())
      .filter((title) => title !== ''),
    sentences: [...new Set(posts.flatMap((post) => extractSentences(post.markdown)))],
    tags: normalizeTags(threads.flatMap((thread) => thread.tags)),
    names: [...new Set(posts.map((post) => post.author.trim()))].filter((name) =>
      /^[\p{L} .'-]{2,40}$/u.test(name),
    ),
  };
}

async function readThreads(file: string): Promise<Thread[]> {
  // readline would also end a line at U+2028.
  const lines = gunzipSync(await readFile(file))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Thread);
}

/** The posts and members of the demo community, from its archive. */
async function readDemo(): Promise<Thread[]> {
  const [posts, users] = await Promise.all(['Posts', 'Users'].map(readRows));
  const names = users?.map((row) => field(row, 'DisplayName')) ?? [];
  return (posts ?? []).map((row, index) => ({
    title: field(row, 'Title'),
    // The attribute contains HTML, so the text is escaped twice.
    markdown: unescape(field(row, 'Body')),
    author: names[index % names.length] ?? '',
    tags: field(row, 'Tags')
      .split(/[<>|]+/u)
      .filter(Boolean),
    answers: [],
  }));
}

async function readRows(name: string): Promise<string[]> {
  const text = await readFile(path.join(projectRoot, `demo/${name}.xml`), 'utf8');
  return text.split('\n').filter((line) => line.includes('<row '));
}

function field(row: string, name: string): string {
  return unescape(new RegExp(` ${name}="([^"]*)"`, 'u').exec(row)?.[1] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  '#x27': "'",
  '#39': "'",
  '#xA': '\n',
};

function unescape(text: string): string {
  return text.replace(/&([#\w]+);/gu, (whole, name: string) => entities[name] ?? whole);
}

/** Only characters without a meaning in Markdown, and no URLs, which become links. */
const plain = /^[A-Z][A-Za-z0-9 ,.'"?!;:()%$/-]{18,260}[.?!]$/u;

function extractSentences(markdown: string): string[] {
  return markdown
    .replace(/<[^>]*>/gu, ' ')
    .split(/(?<=[.?!])\s+|\n\s*\n/u)
    .map((sentence) => sentence.replace(/\s+/gu, ' ').trim())
    .filter((sentence) => plain.test(sentence) && !/www\.|:\/\/|^\w+[.)] /iu.test(sentence));
}

/** A text as it is stored, and its excerpt on a card. */
export type GeneratedText = { content: string; excerpt: string; cut: boolean };

export type TextGenerator = {
  title(tags: readonly string[]): string;
  details(): GeneratedText;
  answer(): string;
  reply(): string;
  name(): string;
};

/** docs/product.md 10.3: the length of the text on a question card; the sentences are ASCII. */
const excerptLength = 200;

/** The number of rare words, which occur in few posts: vocabulary grows with the amount of text (Heaps' law). */
const rareWords = 400_000;

export function createTextGenerator(random: Random, corpus: Corpus): TextGenerator {
  const rare = zipf(random, rareWords, 0.85);
  const titles = corpus.titles.map((title) => title.split(' '));
  const places = placesOfWords(titles);
  const sentence = () => withRareWord(random.of(corpus.sentences), 0.04);
  const parts = corpus.names.map((name) => name.split(' '));

  /** Replaces one of the words with a rare word, with probability `share`. */
  function withRareWord(text: string, share: number): string {
    if (!random.chance(share)) return text;
    const words = text.split(' ');
    const place = 1 + random.below(Math.max(1, words.length - 2));
    words[place] = rareWord(rare());
    return words.join(' ');
  }

  /** Walks through existing titles and sometimes, at a word that another title has too, continues in that one. */
  function title(tags: readonly string[]): string {
    const words: string[] = [];
    let walked = random.of(titles);
    let at = 0;
    while (at < walked.length && words.length < 22) {
      const word = walked[at++] as string;
      words.push(word);
      if (!random.chance(0.4)) continue;
      const [other, place] = random.of(places.get(word.toLowerCase()) ?? [[walked, at - 1] as const]);
      [walked, at] = [other, place + 1];
    }
    if (words.length < 4) words.push(...random.of(titles));
    const tag = tags[0];
    if (tag !== undefined && random.chance(0.25)) words.splice(random.below(words.length), 0, tag);
    return withRareWord(words.join(' '), 0.12).slice(0, limits.title).trim();
  }

  function paragraphs(length: number): string[] {
    const paragraphsSoFar: string[] = [];
    for (let written = 0; written < length;) {
      const sentences = Array.from({ length: 1 + random.below(4) }, sentence);
      const paragraph = sentences.join(' ');
      paragraphsSoFar.push(paragraph);
      written += paragraph.length + 2;
    }
    return paragraphsSoFar;
  }

  /** A text of about this many characters; longer ones may have a list, a link or code. */
  function text(length: number): string[] {
    const picked = paragraphs(length);
    const seen = picked.join(' ').length;
    if (seen <= excerptLength + 60) return picked;
    if (random.chance(0.12)) picked.push(code());
    if (random.chance(0.1)) picked.push(Array.from({ length: 3 }, () => `- ${sentence()}`).join('\n'));
    if (random.chance(0.12))
      picked.push(`See [${sentence()}](https://example.org/${random.below(1e6)}) and **${sentence()}**`);
    return picked;
  }

  function code(): string {
    const [one, other] = [rareWord(rare()), rareWord(rare())];
    const lines = [
      `const ${one} = ${other}(${random.below(1000)});`,
      `if (!${one}) throw new Error("${sentence()}");`,
    ];
    return ['```js', ...lines, `return ${one};`, '```'].join('\n');
  }

  /** An exponential distribution of lengths in characters with this mean: most texts are short, few are long. */
  const lengthAround = (mean: number) => 60 - Math.log(1 - random.next()) * (mean - 60);

  return {
    title,
    details() {
      const picked = text(Math.min(1_100, lengthAround(380)));
      let content = picked.join('\n\n');
      while (content.length > limits.details) {
        picked.pop();
        content = picked.join('\n\n');
      }
      const prose = content.replaceAll('\n\n', ' ');
      return { content, excerpt: prose.slice(0, excerptLength).trim(), cut: prose.length > excerptLength };
    },
    answer: () => text(Math.min(8_000, lengthAround(400))).join('\n\n'),
    reply: () => sentence(),
    name: () => `${random.of(parts)[0]} ${random.of(parts).at(-1)}`.slice(0, limits.displayNameMax),
  };
}

function placesOfWords(titles: readonly string[][]): Map<string, [string[], number][]> {
  const places = new Map<string, [string[], number][]>();
  for (const title of titles)
    for (const [at, word] of title.entries()) {
      const known = places.get(word.toLowerCase());
      if (known === undefined) places.set(word.toLowerCase(), [[title, at]]);
      else known.push([title, at]);
    }
  return places;
}

const [onsets, vowels, codas] = [
  'b br c d dr f fl g gr h j k kl l m n p pl qu r s st t tr v w x z',
  'a e i o u ai ea io ou',
  'b ck d ft g l lm n nd r rk sh st t x zz',
].map((list) => list.split(' ')) as [string[], string[], string[]];

/** A pronounceable word, the same for the same number. */
export function rareWord(number: number): string {
  const draw = (list: readonly string[], from: number) => list[from % list.length] ?? '';
  let rest = number;
  let word = '';
  do {
    word += draw(onsets, rest);
    rest = Math.floor(rest / onsets.length);
    word += draw(vowels, rest);
    rest = Math.floor(rest / vowels.length);
  } while (rest > 0);
  return word + draw(codas, number * 7 + 3);
}

/** Names of tags, most used first: those of the corpus, then pairs of its words. No two are the same tag. */
export function tagNames(random: Random, corpus: Corpus, count: number): string[] {
  const names = new Map(
    corpus.tags.filter((tag) => tag.length <= limits.tag).map((tag) => [tagKey(tag), tag]),
  );
  const words = [
    ...new Set(corpus.titles.flatMap((title) => title.toLowerCase().match(/\b[a-z]{3,12}\b/gu) ?? [])),
  ];
  while (names.size < count) {
    const name = `${random.of(words)}-${random.chance(0.3) ? rareWord(random.below(rareWords)) : random.of(words)}`;
    if (name.length <= limits.tag) names.set(tagKey(name), name);
  }
  return [...names.values()].slice(0, count);
}
