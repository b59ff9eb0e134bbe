import path from 'node:path';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { packTexts, readCorpora } from '#tests/support/attack-corpora.ts';
import { type Member, register } from '#tests/support/member.ts';
import { withTemporaryDirectory, withTemporaryParley } from '#tests/support/temporary-parley.ts';
import { hasForbiddenCharacters } from '#shared/core/text.ts';

const help = `bench/hostile-input.ts [--share 1]

Writes public lists of attacks, unusual texts and texts that block parsers into every field of members through the API of
a new Parley (--share: that part of them), then opens every page that shows them in a real browser. Fails when a text
runs, becomes markup, violates the content security policy, loads from another site, causes an error in a page or a
response of 500 or more, or makes a request take longer than two seconds or a page ten times the median.
PARLEY_CORPORA is the directory of the lists.`;

const { values } = parseArgs({
  options: { help: { type: 'boolean', default: false }, share: { type: 'string', default: '1' } },
});

/** In milliseconds; text that blocks a parser takes far longer. */
const maxResponseMs = 2_000;

/** Load times of pages, in milliseconds. */
const times: number[] = [];

/** A page that takes this many times the median hangs; absolute times depend on the machine. */
const maxSlowdown = 10;

const problems: string[] = [];
const note = (problem: string) => {
  if (problems.push(problem) <= 30) console.log(`✗ ${problem}`);
};

if (values.help) console.log(help);
else process.exitCode = await withTemporaryDirectory(main);

function main(directory: string): Promise<number> {
  const env = { PARLEY_DATA: path.join(directory, 'data'), RATE_LIMITS: 'off' };
  return withTemporaryParley({ env }, async (address, parley) => {
    const written = await write(address);
    await look(address, written);
    for (const line of parley.output().split('\n'))
      if (line !== '' && !isEntry(line)) note(`a line of the log is not a log entry: ${line.slice(0, 200)}`);
    console.log(`${problems.length} problems.`);
    return problems.length === 0 ? 0 : 1;
  });
}

type Written = { reader: Member; questions: number[]; members: number[]; lines: string[] };

/** The author changes from time to time: rate limits for posts are in the database and stay. */
async function write(address: string): Promise<Written> {
  const corpora = readCorpora();
  const share = (items: readonly string[]) =>
    items.filter(
      (item, at) => at % Math.round(1 / Number(values.share)) === 0 && !hasForbiddenCharacters(item),
    );
  const lines = share(corpora.lines);
  const texts = [...lines, ...lines.map((line) => `[x](${line})`), ...share(corpora.markdown)];
  const reader = await register(address, 'Reader');
  const questions: number[] = [];
  const members: number[] = [];
  let author = reader;
  let posted = 0;
  const nextAuthor = async () => {
    if (posted++ % 18 !== 0) return;
    author = await register(address, 'Author');
    members.push(author.id);
    const at = (posted * 7) % lines.length;
    for (const displayName of lines
      .slice(at)
      .filter(({ length }) => length <= 80)
      .slice(0, 10))
      await send(author, 'PUT', '/settings', { displayName, bio: texts[at], showEmail: true });
  };
  const ask = async (title: string, content: string, tags: string[] = []) => {
    await nextAuthor();
    const { body } = await send(author, 'POST', '/questions', { title, content, tags });
    const { id } = body as { id?: number };
    if (id !== undefined) questions.push(id);
    return id;
  };
  const tags = lines.filter((line) => line.length <= 35 && !line.includes(','));
  const titles = packTexts(lines, 200, ' ');
  const contents = packTexts(texts, 2_000);
  for (const [at, title] of titles.entries())
    await ask(title, contents[at % contents.length] ?? title, tags.slice((at * 5) % tags.length).slice(0, 5));
  const [first = 0] = questions;
  for (const content of [
    ...packTexts([...texts, ...share(corpora.words)], 29_000),
    ...corpora.slowMarkdown.map(fill),
  ]) {
    await nextAuthor();
    await send(author, 'POST', `/questions/${first}/answers`, { content });
  }
  for (const content of packTexts(texts, 950)) {
    await nextAuthor();
    await send(author, 'POST', `/questions/${first}/replies`, { content, parentReplyId: null });
  }
  for (const hang of corpora.slowMarkdown) await ask('A text that hangs', hang.slice(0, 2_000));
  for (const [at, line] of lines.filter((_, index) => index % 20 === 0).entries()) {
    const id = questions[at % questions.length];
    await send(reader, 'PUT', `/questions/${id}/bookmark`, { bookmarked: true, note: line.slice(0, 500) });
    await send(reader, 'POST', '/bookmark-lists', { name: line.slice(0, 60) });
    await send(reader, 'GET', `/search?q=${encodeURIComponent(line)}`);
    await send(reader, 'GET', `/tags/${encodeURIComponent(line)}`);
  }
  await send(reader, 'PUT', '/drafts/ask', {
    key: 'a-hostile-draft',
    fields: { title: lines[0] ?? '', content: contents[0] ?? '' },
    basedOn: null,
    clientId: 'a-browser',
    sequence: 1,
  });
  console.log(
    `${lines.length} lines of ${corpora.isComplete ? 'the public lists' : 'the built-in texts'} in ${titles.length} titles, ${contents.length} texts, ${tags.length} tags, ${members.length} members`,
  );
  return { reader, questions, members, lines };
}

async function send(member: Member, method: string, place: string, body?: unknown) {
  const start = performance.now();
  const answer = await member.send(method, place, body === undefined ? {} : { body });
  const took = Math.round(performance.now() - start);
  if (answer.status >= 500)
    note(`${answer.status} to ${method} ${place} ${JSON.stringify(body)?.slice(0, 200)}`);
  if (took > maxResponseMs) note(`${took} ms for ${method} ${place} ${JSON.stringify(body)?.slice(0, 100)}`);
  return answer;
}

async function look(address: string, { reader, questions, members, lines }: Written): Promise<void> {
  const program = process.env['PARLEY_CHROMIUM'];
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ args, ...(program !== undefined && { executablePath: program }) });
  const context = await browser.newContext({ baseURL: address, serviceWorkers: 'block' });
  await context.addCookies([...reader.cookies].map(([name, value]) => ({ name, value, url: address })));
  const page = await watched(context, address);
  const [first = 0] = questions;
  const searches = lines.filter((_, at) => at % Math.ceil(lines.length / 24) === 0);
  const places = [
    '/',
    '/topics',
    '/following',
    '/notifications',
    '/bookmarks',
    '/drafts',
    '/ask',
    '/settings',
    '/profile',
    ...questions
      .filter((_, at) => at % Math.ceil(questions.length / 24) === 0)
      .map((id) => `/question/${id}`),
    ...questions.slice(-12).map((id) => `/question/${id}`),
    ...members.slice(0, 10).map((id) => `/profile/${id}`),
    ...searches.map((line) => `/search?q=${encodeURIComponent(line)}`),
    ...searches.slice(0, 8).map((line) => `/topics/${encodeURIComponent(line)}`),
    ...searches.slice(0, 8).map((line) => `/login?next=${encodeURIComponent(line)}`),
  ];
  for (const place of places) await visit(page, place);
  await visit(page, `/question/${first}`);
  await pressAll(page, /^(Load more|Show more|More (answers|replies|comments))/u, 60);
  await inspect(page, `/question/${first}`);
  await visit(page, '/');
  await pressAll(page, /^Load more/u, Math.ceil(questions.length / 20));
  await inspect(page, 'the whole feed');
  console.log(`${places.length} pages opened`);
  await browser.close();
}

async function watched(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`POLICY ${violatedDirective} ${blockedURI} ${sample}`),
    );
    for (const name of ['alert', 'confirm', 'prompt', 'print'] as const)
      Object.assign(window, { [name]: () => console.error(`POLICY ${name} was called`) });
  });
  page.on('console', (message) => {
    if (message.text().startsWith('POLICY')) note(`${message.text()} on ${page.url().slice(0, 200)}`);
  });
  page.on('pageerror', (error) => note(`an error on ${page.url().slice(0, 200)}: ${error.message}`));
  page.on('dialog', (dialog) => {
    note(`a dialog on ${page.url().slice(0, 200)}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${address}/`)) note(`a request to ${request.url().slice(0, 200)}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) note(`${response.status()} for ${response.url().slice(0, 200)}`);
  });
  return page;
}

async function visit(page: Page, place: string): Promise<void> {
  const took = await open(page, place);
  times.push(took);
  const usual = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? took;
  // A page that hangs does so every time; a busy machine is slow only once.
  if (times.length > 10 && took > maxSlowdown * usual && (await open(page, place)) > maxSlowdown * usual)
    note(`${took} ms to load ${place.slice(0, 200)}, the median is ${usual} ms`);
  await inspect(page, place);
}

async function open(page: Page, place: string): Promise<number> {
  const start = performance.now();
  await page.goto(place, { waitUntil: 'commit', timeout: 120_000 });
  await page.locator('h1').first().waitFor({ timeout: 120_000 });
  return Math.round(performance.now() - start);
}

async function pressAll(page: Page, name: RegExp, most: number): Promise<void> {
  for (let pressed = 0; pressed < most; pressed++) {
    const button = page.getByRole('button', { name }).first();
    if ((await button.count()) === 0) return;
    // The button may disappear when the end of the list arrives.
    await button.click({ timeout: 30_000 }).catch(() => {});
    await page.waitForLoadState('networkidle');
  }
}

/** Checks that no element with member text runs, loads, embeds or links to a script. */
async function inspect(page: Page, where: string): Promise<void> {
  const result = await page.evaluate(() => {
    const main = document.querySelector('main') ?? document.body;
    const bad = [
      ...main.querySelectorAll(
        'script, iframe, object, embed, style, form[action], img, video, audio, base, meta, link',
      ),
    ].map((element) => element.outerHTML.slice(0, 200));
    for (const element of document.body.querySelectorAll('*'))
      if (element.getAttributeNames().some((name) => name.startsWith('on')))
        bad.push(element.outerHTML.slice(0, 200));
    for (const link of document.body.querySelectorAll<HTMLAnchorElement>('a[href]'))
      if (!['http:', 'https:', 'mailto:'].includes(link.protocol)) bad.push(link.href.slice(0, 200));
    return bad;
  });
  for (const each of result) note(`on ${where.slice(0, 200)}: ${each}`);
}

function isEntry(line: string): boolean {
  try {
    return typeof (JSON.parse(line) as { level?: unknown }).level === 'number';
  } catch {
    return false;
  }
}

function fill(hang: string): string {
  return hang.repeat(Math.floor(30_000 / hang.length) || 1).slice(0, 30_000);
}
