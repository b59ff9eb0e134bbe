import { expect, test, type APIRequestContext, type CDPSession } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { postAnswer, uniqueText } from './support/posts.ts';
import { seedCommunity } from './screens/seed-data.ts';
import { expectInView } from './support/in-view.ts';
import { openScreen, prepareScreen, resetStage } from './screens/screenshots.ts';
import type { Screen, SeededIds } from './screens/screen.ts';
import { screens } from './screens/screens.ts';
import { desktop, phone, type Size, type State } from './screens/states.ts';

// One after the other: the tests share their content.
test.describe.configure({ mode: 'default' });

type Cookies = Awaited<ReturnType<APIRequestContext['storageState']>>;

/** A community with all kinds of content and the cookies of its members. */
let filled: { ids: SeededIds; owner: Cookies; other: Cookies };

test.beforeAll(async ({ playwright, baseURL }) => {
  const [owner, first, other] = await Promise.all(
    [1, 2, 3].map(() => playwright.request.newContext(baseURL === undefined ? {} : { baseURL })),
  );
  if (owner === undefined || first === undefined || other === undefined)
    throw new Error('a request context is missing');
  await registerMember(owner, newMember('Robin Page'));
  const ids = await seedCommunity(owner, [first, other]);
  // Written by other members; no other test changes this question.
  const question = await askQuestion(other, {
    title: uniqueText('Which programs open?'),
    tags: ['programming'],
  });
  for (let i = 0; i < 4; i++)
    await postAnswer(first, question, `Answer ${i}. ${'Word after word. '.repeat(40)}`);
  filled = {
    ids: { ...ids, question },
    owner: await owner.storageState(),
    other: await other.storageState(),
  };
  await Promise.all([owner, first, other].map((each) => each.dispose()));
});

/** An overlay and the state of its screen. */
type Overlay = { screen: Screen; state: State };

// The states loading and failed open at the same place.
const overlays = screens.flatMap((screen): Overlay[] =>
  screen.opens === undefined || screen.staff === true
    ? []
    : screen.states
        .filter((each) => each === 'full' || each === 'extreme')
        .map((state) => ({ screen, state })),
);

const anyIds: SeededIds = {
  question: 1,
  extreme: 1,
  memberId: 1,
  extremeMember: 1,
  extremeTag: 'tag',
  own: 1,
  ownAnswer: 1,
  ownReply: 1,
  spare: 1,
  list: 1,
  emptyList: 1,
};

/** The overlays of one page share a test, so that its program is loaded once. */
const pages = Map.groupBy(overlays, ({ screen, state }) => {
  const [, kind = ''] = screen.path(anyIds, state).split(/[/?]/u);
  return `/${kind}`;
});

/** Each is opened once: on a phone, unless phones do not have it, and then shown in a window of a desktop as well. */
const groups = [...pages].flatMap(([address, all]) => [
  {
    where: `of ${address} open in the window, on top and at their place, on a phone, and keep it on a desktop`,
    opening: phone,
    shown: all.filter(({ screen }) => screen.wide !== true),
  },
  {
    where: `of ${address} that phones do not have open in the window, on top and at their place`,
    opening: desktop,
    shown: all.filter(({ screen }) => screen.wide === true),
  },
]);

/** Overlays that leave nothing behind share a visit: those of one path, one after the other. */
function inOrderOfVisits(shown: readonly Overlay[]): Overlay[] {
  const closing = shown.filter(({ screen }) => screen.close !== undefined);
  const visits = Map.groupBy(closing, ({ screen, state }) => screen.path(filled.ids, state));
  return [...[...visits.values()].flat(), ...shown.filter(({ screen }) => screen.close === undefined)];
}

for (const { where, opening, shown } of groups.filter(({ shown }) => shown.length > 0))
  test(`the overlays ${where}`, async ({ browser, playwright, baseURL }) => {
    test.setTimeout(20_000 + shown.length * 10_000);
    const address = baseURL === undefined ? {} : { baseURL };
    const context = await browser.newContext({
      ...address,
      viewport: opening,
      storageState: filled.owner,
      reducedMotion: 'reduce',
    });
    const otherMember = await playwright.request.newContext({ ...address, storageState: filled.other });
    const page = await context.newPage();
    const device = await context.newCDPSession(page);
    // One that does not open does not use up the time of the others.
    page.setDefaultTimeout(15_000);
    const failures: string[] = [];
    /** The path of the page that the previous overlay left as it was. */
    let open: string | undefined;
    for (const { screen, state } of inOrderOfVisits(shown)) {
      const stage = { page, ids: filled.ids, state, otherMember, translate: (english: string) => english };
      const name = `${screen.name} (${state})`;
      const path = screen.path(filled.ids, state);
      const isOpen = open === path && screen.close !== undefined;
      if (open !== undefined && !isOpen) await resetStage(stage);
      open = undefined;
      await test
        .step(name, async () => {
          await emulate(device, opening);
          await (isOpen ? prepareScreen : openScreen)(stage, screen);
          const opened = screen.opens?.(stage);
          if (opening !== desktop) {
            await emulate(device, desktop);
            if (opened !== undefined) await expectInView(opened.element, opened);
          }
          if (screen.close === undefined) return;
          await screen.close(stage);
          if (opened !== undefined) await expect(opened.element).toHaveCount(0);
          open = path;
        })
        .catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
      if (open === undefined) await resetStage(stage);
    }
    await context.close();
    await otherMember.dispose();
    expect(failures).toEqual([]);
  });

/** Playwright sets only the size of an open page, and whether it is a phone when it is opened. */
async function emulate(device: CDPSession, { width, height, name }: Size): Promise<void> {
  const isPhone = name === 'phone';
  await device.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    deviceScaleFactor: 1,
    mobile: isPhone,
  });
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
}
