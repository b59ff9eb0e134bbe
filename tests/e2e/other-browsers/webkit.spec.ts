import { expect, test } from '@playwright/test';
import { By, until, type WebElement } from 'selenium-webdriver';
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
const field = (label: string) => find(`//*[@id=//label[normalize-space()='${label}']/@for]`);
const button = (name: string) => find(`//button[normalize-space()='${name}' or @aria-label='${name}']`);
const article = (name: string) => find(`//article[@aria-label='${name}']`);
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
  await (await field('Email')).sendKeys(reader.email);
  await (await field('Password')).sendKeys(reader.password);
  await (await button('Sign in')).click();
  const heading = await find(`//h1[normalize-space()='${title}']`);
  expect(await heading.isDisplayed()).toBe(true);
  expect(await path()).toContain(`/question/${id}`);
  expect(await (await find('//article//strong')).getText()).toBe('bold');

  await driver.get(`${site}/`);
  await waitForApp();
  await driver.executeScript(collectErrors);
  await (await find(`//article//a[normalize-space()='${title}']`)).click();
  await find(`//h1[normalize-space()='${title}']`);
  expect(await driver.getTitle()).toBe(`${title} · Parley`);

  await (await field('Your answer')).sendKeys('It carries **everything**.');
  await (await button('Post Answer')).click();
  expect(await (await article('Answer by Robin Page')).getText()).toContain('It carries everything.');
  await registerMember(request, newMember('Ben'));
  await postAnswer(request, id, 'In Safari as well.');
  await (await button('1 new answer')).click();
  expect(await (await article('Answer by Ben')).getText()).toContain('In Safari as well.');

  for (const [link, title] of Object.entries({
    Topics: 'Discover Topics',
    'Ask Question': 'Ask a question',
  })) {
    await (await find(`//a[normalize-space()='${link}']`)).click();
    await find(`//h1[normalize-space()='${title}']`);
  }
  await (await button('Switch to dark theme')).click();
  await button('Switch to light theme');
  expect(await driver.executeScript('return errors')).toEqual([]);

  await driver.get(`${site}/question/${id}`);
  await waitForApp();
  expect(await (await article('Answer by Robin Page')).getText()).toContain('It carries everything.');
  await button('Switch to light theme');
});
