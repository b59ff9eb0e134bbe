import { expect, test, type Worker } from '@playwright/test';
import { listening } from './support/live.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, uniqueText } from './support/posts.ts';

test.use({ serviceWorkers: 'allow' });

test('a click on a push message shows the post in the window of its question, else in a new window, and no typed text is lost', async ({
  page,
  context,
}) => {
  await registerMember(page.request);
  const title = uniqueText('Who pushes?');
  const id = await askQuestion(page.request, { title });
  const answerId = await postAnswer(page.request, id, 'The server.');
  const starting = context.waitForEvent('serviceworker');
  await listening(page, () => page.goto(`/question/${id}`));
  const worker = await starting;
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  await expect(page).toHaveURL(/\/who-pushes-/u);
  const address = page.url();
  await page.getByLabel('Your answer').fill('Half a thought');

  expect(await clickPush(worker, `${address}#answer-${answerId}`)).toEqual({ opened: [], focused: 1 });
  await expect(page.locator(`#answer-${answerId}`)).toBeInViewport();
  await expect(page).toHaveURL(`${address}#answer-${answerId}`);
  await expect(page.getByLabel('Your answer')).toHaveValue('Half a thought');

  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByLabel('Bio').fill('Half a sentence');
  expect(await clickPush(worker, address)).toEqual({ opened: [address], focused: 0 });
  await expect(page.getByLabel('Bio')).toHaveValue('Half a sentence');
});

/** Clicks as the browser does, which tests cannot make click, and returns what it is asked to do. */
function clickPush(worker: Worker, link: string): Promise<{ opened: string[]; focused: number }> {
  return worker.evaluate(async (data) => {
    const asked = { opened: [] as string[], focused: 0 };
    // The browser allows both after a real click only.
    const scope = globalThis as unknown as {
      clients: { openWindow: (url: string) => Promise<null> };
      WindowClient: { prototype: { focus: () => Promise<void> } };
    };
    scope.clients.openWindow = (url) => Promise.resolve(void asked.opened.push(url)).then(() => null);
    scope.WindowClient.prototype.focus = () => Promise.resolve(void (asked.focused += 1));
    let handled: Promise<unknown> = Promise.reject(new Error('The worker does not handle clicks.'));
    handled.catch(() => {});
    const event = Object.assign(new Event('notificationclick'), {
      notification: { data, close() {} },
      waitUntil: (promise: Promise<unknown>) => (handled = promise),
    });
    globalThis.dispatchEvent(event);
    await handled;
    return asked;
  }, link);
}
