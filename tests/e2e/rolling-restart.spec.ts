import { expect, test, type Page } from '@playwright/test';
import { type LoadBalancer, startLoadBalancer } from '#tests/support/load-balancer.ts';
import { registerMember, newMember } from './support/members.ts';
import { type Community, startCommunity, type ServerNode } from './support/community.ts';
import { postAnswer, askAndOpen, uniqueText } from './support/posts.ts';

let community: Community;
let nodes: ServerNode[];
let balancer: LoadBalancer;

test.beforeAll(async () => {
  community = await startCommunity();
  // The first node also runs the database and is not behind the load balancer.
  nodes = [await community.addNode({ DRAIN_SECONDS: '2' }), await community.addNode({ DRAIN_SECONDS: '2' })];
  balancer = await startLoadBalancer(nodes.map(({ address }) => address));
});
test.afterAll(async () => {
  await balancer.stop();
  await community.remove();
});

test('an open page keeps working through a restart of every node, without a message to its reader', async ({
  browser,
}) => {
  // Starts four processes on a machine that may be busy.
  test.setTimeout(120_000);
  // The list of answers is below the window, so that new ones enter it at once.
  const viewport = { width: 1280, height: 400 };
  const context = await browser.newContext({ baseURL: balancer.address, viewport });
  const page = await context.newPage();
  const failures = watchFailures(page);
  let sockets = 0;
  page.on('websocket', () => sockets++);
  await registerMember(page.request, newMember('Ada'));
  const id = await askAndOpen(page, uniqueText('Does anybody notice?'));
  await page.evaluate(noteBanners);
  const before = sockets;

  const ben = await browser.newContext({ baseURL: community.address });
  await registerMember(ben.request, newMember('Ben'));
  let count = 0;
  for (const node of nodes) {
    const restarting = { isOver: false, done: restart(node) };
    void restarting.done.finally(() => (restarting.isOver = true));
    while (!restarting.isOver) {
      count++;
      await postAnswer(ben.request, id, `Answer ${count} of many.`);
      await expect(page.getByText(`Answer ${count} of many.`, { exact: true })).toBeVisible();
    }
    await restarting.done;
  }

  expect(count).toBeGreaterThan(3);
  await expect(page.getByRole('article', { name: 'Answer by Ben' })).toHaveCount(count);
  await expect(page.getByRole('heading', { name: `${count} Answers`, exact: true })).toBeVisible();
  expect(sockets).toBeGreaterThan(before);
  expect(failures).toEqual([]);
  // The page was not reloaded, or the list would be gone.
  expect(await page.evaluate(() => window.banners)).toEqual([]);
});

async function restart(node: ServerNode): Promise<void> {
  await node.stop();
  await node.start();
  await expect.poll(() => balancer.isReady(node.address)).toBe(true);
}

/** Records requests of the page without a response, or with a server error. */
function watchFailures(page: Page): string[] {
  const failures: string[] = [];
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page itself aborted the request to repeat it.
    if (reason !== 'net::ERR_ABORTED') failures.push(`${request.method()} ${request.url()} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) failures.push(`${response.status()} ${response.url()}`);
  });
  return failures;
}

declare global {
  interface Window {
    banners: string[];
  }
}

/** Records the connection banners of the page, however short. */
function noteBanners(): void {
  window.banners = [];
  new MutationObserver(() => {
    const [text] = /You are offline|The server is restarting/.exec(document.body.innerText) ?? [];
    if (text !== undefined) window.banners.push(text);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
