import { projectRoot } from '#server/core/paths.ts';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { newMember, registerMember } from '#tests/e2e/support/members.ts';
import { type Community, startCommunity } from '#tests/e2e/support/community.ts';
import { importArchive, taggedQuestion } from '#tests/e2e/support/archive.ts';
import { loadTranslations } from '#tests/e2e/support/translations.ts';
import { seedCommunity } from './seed-data.ts';
import { seedStaffWork } from './seed-staff.ts';
import { type Finding, formatFindings } from './accessibility-report.ts';
import { captureScreen, type Picture, saveContactSheet } from './screenshots.ts';
import { registerStaff } from './staff-screens.ts';
import type { Screen, Stage } from './screen.ts';
import { screens } from './screens.ts';
import { takeReadmePictures } from './readme-pictures.ts';
import { type Size, sizes, smallPhone, type State } from './states.ts';

const help = `npm run screens [-- OPTIONS] [-- NAMES]

Opens every screen, dialog, menu and list in each of its states, in both sizes and both themes. Saves screenshots to the
directory screens/, one contact sheet per state, and checks with axe the rules of WCAG 2.2 A and AA and best practices.
Lists violations at the end; the exit code is then 1.

Options:
  --language CODE  use another language
  --narrow         include the smallest phone
  --no-axe         screenshots only
  --no-pictures    checks only; existing screenshots stay
  --readme         take the pictures of README.md instead, of the demo community
  -h, --help       show this help

NAMES select screens by the start of their name, or by the whole name with = in front. Sheets of other screens stay.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    language: { type: 'string', default: 'en' },
    narrow: { type: 'boolean', default: false },
    axe: { type: 'boolean', default: true },
    pictures: { type: 'boolean', default: true },
    readme: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
/** The names of the admins, one for each size, because they must not be similar. */
const admins = ['Sam Lake', 'Kim Frost'];

if (values.help) console.log(help);
else process.exitCode = await main();

async function main(): Promise<number> {
  if (values.readme) return takePicturesOfReadme();
  const wanted = screens.filter(({ name }) => isSelected(name));
  if (wanted.length === 0) {
    console.error('No screen has this name.');
    return 2;
  }
  const directory = path.join(projectRoot, 'screens');
  if (positionals.length === 0 && values.pictures) await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const browser = await launchBrowser();
  const [bare, full] = await Promise.all([startCommunity(), startCommunity({ demo: true })]);
  try {
    await importArchive(full, taggedQuestion);
    const communities = { bare, full };
    const runs: SizeRun[] = [];
    // One at a time: each size creates the same content.
    for (const size of values.narrow ? [...sizes, smallPhone] : sizes)
      runs.push(
        await startSizeRun(browser, size, { ...communities, admin: admins[runs.length] ?? 'Lou Pine' }),
      );
    return await inspectScreens(browser, { runs, wanted, directory });
  } finally {
    await browser.close();
    await Promise.all([bare.remove(), full.remove()]);
  }
}

async function takePicturesOfReadme(): Promise<number> {
  const browser = await launchBrowser();
  try {
    await takeReadmePictures(browser, isSelected);
  } finally {
    await browser.close();
  }
  return 0;
}

function launchBrowser(): Promise<Browser> {
  const program = process.env['PARLEY_CHROMIUM'];
  return chromium.launch(program === undefined ? {} : { executablePath: program });
}

function isSelected(name: string): boolean {
  if (positionals.length === 0) return true;
  return positionals.some((start) =>
    start.startsWith('=') ? name === start.slice(1) : name.startsWith(start),
  );
}

/** One size, with a page per kind of viewer. Actions in one run do not show in others. */
type SizeRun = {
  size: Size;
  stages: Record<'owner' | 'newcomer' | 'visitor' | 'firstVisitor' | 'staff', Omit<Stage, 'state'>>;
};

async function startSizeRun(
  browser: Browser,
  size: Size,
  { bare, full, admin }: { bare: Community; full: Community; admin: string },
): Promise<SizeRun> {
  const open = async (baseURL: string): Promise<Page> => {
    const options = {
      baseURL,
      reducedMotion: 'reduce',
      locale: values.language,
      serviceWorkers: 'block',
      hasTouch: isPhone(size),
      isMobile: isPhone(size),
    } as const;
    return (await browser.newContext(options)).newPage();
  };
  const [owner, first, second, visitor, staff, applicant] = await Promise.all(
    Array.from({ length: 6 }, () => open(full.address)),
  );
  const newcomer = await open(bare.address);
  const firstVisitor = await open(bare.address);
  if (!owner || !first || !second || !visitor || !staff || !applicant) throw new Error('a page is missing');
  await registerMember(owner.request, newMember('Robin Page'));
  await registerMember(newcomer.request, newMember('Robin Page'));
  await registerStaff(staff.request, full.dataDirectory, { role: 'admin', displayName: admin });
  const ids = await seedCommunity(owner.request, [first.request, second.request]);
  await seedStaffWork({ staff: staff.request, other: second.request, applicant: applicant.request }, ids);
  const translate = await createTranslator(values.language);
  const shared = { ids, translate, otherMember: second.request };
  return {
    size,
    stages: {
      owner: { page: owner, ...shared },
      newcomer: { page: newcomer, ...shared },
      visitor: { page: visitor, ...shared },
      firstVisitor: { page: firstVisitor, ...shared },
      staff: { page: staff, ...shared },
    },
  };
}

function isPhone({ width }: Size): boolean {
  return width < 768;
}

async function createTranslator(language: string): Promise<Stage['translate']> {
  const translated = language === 'en' ? (english: string) => english : await loadTranslations(language);
  return (english) => {
    const text = translated(english);
    const parts = text
      .split(/\{\w+\}/u)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
    return parts.length === 1 ? text : new RegExp(`^${parts.join('.*')}$`, 'u');
  };
}

type Job = { runs: readonly SizeRun[]; wanted: readonly Screen[]; directory: string };

/** @returns the exit code: 1 when a screen has violations or could not be opened. */
async function inspectScreens(browser: Browser, { runs, wanted, directory }: Job): Promise<number> {
  const findings: Finding[] = [];
  const missed: string[] = [];
  const states = wanted.flatMap((screen) => screen.states.map((state) => ({ screen, state })));
  for (const { screen, state } of states) {
    const name = `${screen.name} ${state}`;
    const start = performance.now();
    try {
      const seen = await Promise.all(
        runs
          .filter(({ size }) => !screen.wide || !isPhone(size))
          .map((page) => visitScreen(page, screen, state)),
      );
      const pictures: Picture[] = seen.flatMap((each) => each.pictures);
      findings.push(...seen.flatMap((each) => each.findings));
      if (values.pictures)
        await saveContactSheet(browser, pictures, path.join(directory, `${screen.name}-${state}.png`));
      const rules = new Set(seen.flatMap((each) => each.findings.map(({ rule }) => rule)));
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${name} (${seconds} s)${rules.size > 0 ? ` violates ${[...rules].join(', ')}` : ''}`);
    } catch (error) {
      missed.push(name);
      console.error(`${name} could not be inspected:`, error);
    }
  }
  if (values.pictures) console.log('The contact sheets are in screens/.');
  if (missed.length > 0) console.log(`Not inspected: ${missed.join(', ')}.`);
  if (values.axe) console.log(findings.length > 0 ? formatFindings(findings) : 'axe found no violations.');
  return findings.length + missed.length === 0 ? 0 : 1;
}

function visitScreen({ size, stages }: SizeRun, screen: Screen, state: State) {
  const stage = screen.staff
    ? stages.staff
    : screen.visitor
      ? stages[state === 'empty' ? 'firstVisitor' : 'visitor']
      : state === 'empty' && screen.name !== 'palette'
        ? stages.newcomer
        : stages.owner;
  const wanted = { pictures: values.pictures, axe: values.axe };
  return captureScreen({ ...stage, state }, { screen, size, wanted });
}
