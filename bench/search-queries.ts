import type { OwnQuestion } from './onstartups-archive.ts';

/** A query and the title of the question that it should find. */
export type SearchCase = { query: string; kind: string; expected: string };

/** Results that are visible without scrolling: the expected question must be among them. */
export const maxRank = 5;

/** The archive has no question in Chinese or Arabic; these were written for this project. */
export const ownQuestions: readonly OwnQuestion[] = [
  {
    title: '如何为初创公司注册商标？',
    content: '我们在上海有一家小公司，想在国内和国外注册商标。需要多长时间，费用是多少？',
    tags: ['商标', 'china'],
  },
  {
    title: '远程团队应该怎样分配股权？',
    content: '三位创始人住在不同的城市，其中一位是兼职。',
    tags: ['股权'],
  },
  {
    title: 'كيف أسجل علامة تجارية لشركتي الناشئة؟',
    content: 'لدينا شركة صغيرة ونريد حماية الاسم قبل الإطلاق.',
    tags: ['قانون'],
  },
  {
    title: 'ما هي أفضل طريقة لتمويل مشروع صغير؟',
    content: 'لا أريد أن أتخلى عن حصة كبيرة من الشركة للمستثمرين.',
    tags: ['تمويل'],
  },
];

const worth = 'Is it worth it to register a trademark for a software product that I am developing?';
const comfort =
  'Packing up and moving to Silicon Valley. Stepping out of my comfort zone or just plain naïve?';
const split = '49/51 vs 50/50 Equity Split';
const revenue = "Revenue Split - I am doing 100% of the programming work, he's the idea man";
const platform = "Why don't startups choose .Net as a platform?";

/** Titles and words of the OnStartups Answers archive (answers.onstartups.com, CC BY-SA). */
export const queries: readonly SearchCase[] = [
  { query: 'trademark', kind: 'word', expected: worth },
  { query: 'FREEMIUM', kind: 'word', expected: 'To Freemium or not to Freemium?' },
  { query: 'kickstarter', kind: 'word', expected: 'kickstarter alternatives for non US startups?' },
  { query: 'payp', kind: 'part of a word', expected: 'When to use merchant account instead of PayPal?' },
  {
    query: 'crunch',
    kind: 'part of a word',
    expected: 'How much traffic can you expect to get from TechCrunch?',
  },
  { query: 'ewslett', kind: 'part of a word', expected: 'Are newsletters dead as a marketing tool?' },
  {
    query: 'board of advisors',
    kind: 'phrase',
    expected: "What's the best way to assemble a board of advisors/mentors?",
  },
  { query: 'out of my comfort zone', kind: 'phrase', expected: comfort },
  {
    query: 'to be or not to be',
    kind: 'phrase of frequent words',
    expected: 'To Freemium or not to Freemium?',
  },
  {
    query: 'contributions past equity',
    kind: 'words in another order',
    expected: 'Equity split 50/50 and past contributions',
  },
  {
    query: 'advisors paying boards',
    kind: 'words inflected, in another order',
    expected: 'what do you need to pay for the board of advisors in a startup?',
  },
  { query: 'registering trademarks software products', kind: 'words inflected', expected: worth },
  {
    query: 'resolving conflict startups 50/50',
    kind: 'words inflected, in another order',
    expected: 'How to resolve conflicts on a 50/50 startup?',
  },
  {
    query: 'trademark infringment produkt',
    kind: 'typing errors',
    expected: 'Trademark infringement on product name',
  },
  {
    query: 'merchent acount paypal',
    kind: 'typing errors',
    expected: 'When to use merchant account instead of PayPal?',
  },
  {
    query: 'kikstarter altrenatives',
    kind: 'typing errors',
    expected: 'kickstarter alternatives for non US startups?',
  },
  {
    query: 'chiken and eg problem',
    kind: 'typing errors',
    expected: 'Solving the Chicken and Egg Problem',
  },
  { query: '"Lean?"', kind: 'quotes', expected: 'What\'s the opposite of "Lean?"' },
  {
    query: '"merchant account"',
    kind: 'quotes that the title does not have',
    expected: 'When to use merchant account instead of PayPal?',
  },
  { query: "he's the idea man", kind: 'apostrophe', expected: revenue },
  { query: '100%', kind: 'percent sign', expected: revenue },
  { query: '85% ownership', kind: 'percent sign', expected: 'Private investor asking 85% ownership' },
  {
    query: '_why_',
    kind: 'underscore',
    expected: 'Concrete examples of _why_ Silicon Valley is best for a startup?',
  },
  {
    query: String.raw`small\middle`,
    kind: 'backslash',
    expected: String.raw`Is export to Russia interesting for small\middle companies?`,
  },
  {
    query: 'frameworks | feasibility',
    kind: 'bar',
    expected: 'Writing a custom web app /w out libraries of frameworks | Feasibility of market success',
  },
  { query: 'R&D', kind: 'ampersand', expected: 'Have you applied for R&D tax credits?' },
  { query: '50/50', kind: 'slash', expected: split },
  { query: '*need*', kind: 'asterisk', expected: 'Does a small startup really *need* someone with an MBA?' },
  {
    query: 'wall (in front of?)',
    kind: 'brackets',
    expected: "Age of founder > brick wall (in front of?) angel investors/vc's",
  },
  { query: 'freemium ::', kind: 'colons', expected: 'Freemium :: model?' },
  { query: 'c++', kind: 'code', expected: "I've got a great algorithm, now what?" },
  {
    query: 'c++ games',
    kind: 'code and a word',
    expected: 'Thinking about creating small desktop games, who is this market?',
  },
  { query: '.net', kind: 'code', expected: platform },
  { query: 'startups .net platform', kind: 'code and words in another order', expected: platform },
  { query: 'C#', kind: 'code', expected: 'Startups with ASP.Net MVC 3 and MS SQL' },
  { query: 'asp.net mvc', kind: 'code', expected: 'Startups with ASP.Net MVC 3 and MS SQL' },
  { query: '商标', kind: 'Chinese', expected: '如何为初创公司注册商标？' },
  { query: '注册商标 上海', kind: 'Chinese, two words', expected: '如何为初创公司注册商标？' },
  { query: '分配股权', kind: 'Chinese', expected: '远程团队应该怎样分配股权？' },
  { query: 'علامة تجارية', kind: 'Arabic', expected: 'كيف أسجل علامة تجارية لشركتي الناشئة؟' },
  {
    query: 'صغير تمويل',
    kind: 'Arabic, words in another order',
    expected: 'ما هي أفضل طريقة لتمويل مشروع صغير؟',
  },
];
