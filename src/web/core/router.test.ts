import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test } from 'vitest';
import { setSiteOrigin } from './paths.ts';
import { type Layout, type Route, Router } from './router.ts';

beforeEach(() => setSiteOrigin('https://ask.example.org'));

const Home = () => null;
const Question = () => null;
const NotFound = () => null;
const Frame = () => null;

const frame: Layout = { load: () => Promise.resolve(Frame) };

const routes: readonly Route[] = [
  { path: '/', load: () => Promise.resolve(Home) },
  {
    path: '/question/:id/:slug?',
    layout: frame,
    key: ({ id = '' }) => id,
    load: () => Promise.resolve(Question),
  },
  {
    path: '/private',
    guard: () => Promise.resolve('/login?next=%2Fprivate'),
    load: () => Promise.resolve(Home),
  },
  { path: '/login', load: () => Promise.resolve(Home) },
  { path: '/loop', guard: () => Promise.resolve('/loop'), load: () => Promise.resolve(Home) },
  {
    path: '/refused',
    layout: frame,
    guard: () => Promise.reject(new Error('refused')),
    load: () => Promise.resolve(Home),
  },
  { path: '/broken', layout: frame, load: () => Promise.reject(new Error('broken')) },
  {
    path: '/no-data',
    layout: frame,
    data: () => Promise.reject(new Error('no data')),
    load: () => Promise.resolve(Home),
  },
  { path: '*', load: () => Promise.resolve(NotFound) },
];

async function show(start: string) {
  const router = new Router({ routes, client: new QueryClient(), start });
  await router.load();
  if (router.view === undefined) throw new Error('There is no view.');
  return router.view;
}

test.each([
  ['/', Home, {}],
  ['/?tab=popular', Home, {}],
  ['/question/5', Question, { id: '5' }],
  ['/Question/5', NotFound, {}],
  ['/question/5/why-is-it#answer-2', Question, { id: '5', slug: 'why-is-it' }],
  ['/question/5/%C3%BCber%2Funter', Question, { id: '5', slug: 'über/unter' }],
  ['/question', NotFound, {}],
  ['/question/5/a/b', NotFound, {}],
  ['/question/%E0%A4%A', NotFound, {}],
])('finds the page of %s', async (address, component, params) => {
  const view = await show(address);
  expect(view.page).toMatchObject({ component });
  expect(view.params).toEqual(params);
  expect(view.location.href).toBe(address);
});

test('gives another question another key, and a question with another slug the same', async () => {
  const keyOf = async (address: string) => {
    const { page } = await show(address);
    return 'key' in page ? page.key : null;
  };
  expect(await keyOf('/question/5/one')).toBe(await keyOf('/question/5/other?sort=oldest'));
  expect(await keyOf('/question/5')).not.toBe(await keyOf('/question/6'));
});

test('ignores slashes at the end, and a host', async () => {
  expect((await show('/question/5/?sort=oldest')).location.href).toBe('/question/5?sort=oldest');
  expect((await show('/.//example.com/')).location.href).toBe('/example.com');
});

test('follows redirects', async () => {
  const { location } = await show('/private');
  expect(location).toMatchObject({ pathname: '/login', search: '?next=%2Fprivate' });
});

test('shows the error of redirects that are a loop', async () => {
  expect((await show('/loop')).page).toMatchObject({
    error: new Error('Too many redirects, the last to /loop.'),
  });
});

test('shows the error of a guard without the layout', async () => {
  expect(await show('/refused')).toMatchObject({ layout: null, page: { error: new Error('refused') } });
});

test.each([
  ['/broken', 'broken'],
  ['/no-data', 'no data'],
])('shows the error of %s within the layout', async (address, message) => {
  expect(await show(address)).toMatchObject({ layout: Frame, page: { error: new Error(message) } });
});
