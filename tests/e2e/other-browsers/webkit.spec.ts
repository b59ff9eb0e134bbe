import { expect, test } from '@playwright/test';
import { By, error, until, type WebElement } from 'selenium-webdriver';
import { renderedAtAttribute } from '#shared/core/protocol.ts';
import { askQuestion, newMember, registerMember } from '../support/members.ts';
import { postAnswer, uniqueText } from '../support/posts.ts';
import { startWebKit, type WebKit } from '../support/webkit.ts';

const waitMs = 10_000;
let webkit: WebKit;

test.beforeAll(async () => {
  webkit = await startWebKit();
});
test.afterAll(() => webkit.close());

const find = (path: string): Promise<WebElement> =>
  webkit.driver.wait(until.elementLocated(By.xpath(path)), waitMs, path);

/** Finds an element and uses it, again while the page replaces the element in between. */
async function withElement<Result>(
  path: string,
  work: (element: WebElement) => Promise<Result>,
): Promise<Result> {
  const end = Date.now() + waitMs;
  for (;;)
    try {
      return await work(await find(path));
    } catch (thrown) {
      if (!(thrown instanceof error.StaleElementReferenceError) || Date.now() > end) throw thrown;
    }
}

const click = (path: string) => withElement(path, (element) => element.click());
const readText = (path: string) => withElement(path, (element) => element.getText());
/** Replaces the text of a field: the attempt before may have typed a part. */
const fill = (path: string, text: string) =>
  withElement(path, async (element) => {
    await element.clear();
    await element.sendKeys(text);
  });

const field = (label: string) => `//*[@id=//label[normalize-space()='${label}']/@for]`;
const button = (name: string) => `//button[normalize-space()='${name}' or @aria-label='${name}']`;
const article = (name: string) => `//article[@aria-label='${name}']`;
const path = async () => new URL(await webkit.driver.getCurrentUrl()).pathname;

/** Waits until the web app handles the page. */
async function waitForApp() {
  await find(`//*[@id='root'][not(@${renderedAtAttribute})]//h1`);
}

/** Collects what goes wrong in the page from now on, until it is loaded again. */
const collectErrors = `
  globalThis.errors = [];
  const { error } = console;
  console.error = (...all) => { errors.push(all.join(' ')); error(...all); };
  addEventListener('error', ({ message }) => errors.push(message));
  addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
  addEventListener('securitypolicyviolation', ({ violatedDirective }) => errors.push(violatedDirective));`;

test('in WebKit, a visitor signs in, reads, answers and sees the answer of another member live', async ({
  request,
  baseURL,
}) => {
  const { driver } = webkit;
  const site = String(baseURL);
  await registerMember(request, newMember('Ada'));
  const title = uniqueText('Does the web kit carry this?');
  const id = await askQuestion(request, { title, content: 'With **bold** words and `code`.' });
  const reader = newMember('Robin Page');
  await registerMember(request, reader);

  await driver.get(`${site}/question/${id}`);
  await fill(field('Email'), reader.email);
  await fill(field('Password'), reader.password);
  await click(button('Sign in'));
  expect(await withElement(`//h1[normalize-space()='${title}']`, (heading) => heading.isDisplayed())).toBe(
    true,
  );
  expect(await path()).toContain(`/question/${id}`);
  expect(await readText('//article//strong')).toBe('bold');

  await driver.get(`${site}/`);
  await waitForApp();
  await driver.executeScript(collectErrors);
  await click(`//article//a[normalize-space()='${title}']`);
  await find(`//h1[normalize-space()='${title}']`);
  expect(await driver.getTitle()).toBe(`${title} · Parley`);

  await fill(field('Your answer'), 'It carries **everything**.');
  await click(button('Post Answer'));
  expect(await readText(article('Answer by Robin Page'))).toContain('It carries everything.');
  await registerMember(request, newMember('Ben'));
  await postAnswer(request, id, 'In Safari as well.');
  await click(button('1 new answer'));
  expect(await readText(article('Answer by Ben'))).toContain('In Safari as well.');

  for (const [link, title] of Object.entries({
    Topics: 'Discover Topics',
    'Ask Question': 'Ask a question',
  })) {
    await click(`//a[normalize-space()='${link}']`);
    await find(`//h1[normalize-space()='${title}']`);
  }
  await click(button('Switch to dark theme'));
  await find(button('Switch to light theme'));
  expect(await driver.executeScript('return errors')).toEqual([]);

  await driver.get(`${site}/question/${id}`);
  await waitForApp();
  expect(await readText(article('Answer by Robin Page'))).toContain('It carries everything.');
  await find(button('Switch to light theme'));
});
