import { test, type APIRequestContext } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { postAnswer, uniqueText } from './support/posts.ts';
import { seedCommunity } from './screens/seed-data.ts';
import { openScreen } from './screens/screenshots.ts';
import type { SeededIds } from './screens/screen.ts';
import { screens } from './screens/screens.ts';
import { sizes } from './screens/states.ts';

type Cookies = Awaited<ReturnType<APIRequestContext['storageState']>>;

/** A community with all kinds of content and the cookies of its members. Each worker creates its own. */
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

for (const { width, height } of sizes)
  for (const screen of screens) {
    if (screen.opens === undefined || screen.staff || (screen.wide && width < 768)) continue;
    // The states loading and failed open at the same place.
    for (const state of screen.states.filter((each) => each === 'full' || each === 'extreme'))
      test(`${screen.name} (${state}) opens in the window, on top and at its place, at ${width}x${height}`, async ({
        browser,
        playwright,
        baseURL,
      }) => {
        const isPhone = width < 768;
        const address = baseURL === undefined ? {} : { baseURL };
        const context = await browser.newContext({
          ...address,
          viewport: { width, height },
          storageState: filled.owner,
          hasTouch: isPhone,
          isMobile: isPhone,
          reducedMotion: 'reduce',
        });
        const otherMember = await playwright.request.newContext({ ...address, storageState: filled.other });
        const page = await context.newPage();
        await openScreen(
          { page, ids: filled.ids, state, otherMember, translate: (english) => english },
          screen,
        );
        await context.close();
        await otherMember.dispose();
      });
  }
