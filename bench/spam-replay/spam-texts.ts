import type { PostKind } from '#shared/core/fields.ts';
import type { Random } from '../fill/random.ts';

/**
 * Planted spam. Each family sells one thing in several phrasings. Families and phrasings of the second half of a
 * community's time (`late`) do not appear in the first half, so that some spam is unlike all spam that was deleted before.
 */
type Family = {
  late: boolean;
  /** Whether the posts have links. Other families give a telephone number or a name to search for. */
  links: boolean;
  domains: readonly string[];
  titles: readonly string[];
  sentences: readonly string[];
};

const families: readonly Family[] = [
  {
    late: false,
    links: true,
    domains: ['vitacore-keto.example', 'slimfast-reviews.example', 'herbal-trim.example'],
    titles: ['{product} reviews: does it really work?', 'How I lost {number} pounds with {product}'],
    sentences: [
      '{product} is a natural weight loss supplement that burns fat without exercise.',
      'Thousands of happy customers trust {product} every day.',
      'Order your free trial bottle before the stock ends.',
      'The ingredients are clinically proven and there are no side effects.',
      'I tried many diets, but only {product} changed my life in {number} days.',
    ],
  },
  {
    late: false,
    links: true,
    domains: ['essay-heroes.example', 'cheap-papers.example', 'writemyassignment.example'],
    titles: ['Best assignment help for students', 'Who can write my essay in {number} hours?'],
    sentences: [
      'Our expert writers deliver plagiarism free assignments on time.',
      'Get {number}% off on your first essay, dissertation or homework.',
      'Students in the UK, Australia and Canada recommend our academic writing service.',
      'Chat with a professional tutor 24/7 and get top grades.',
      'I was late with my thesis and this service saved me.',
    ],
  },
  {
    late: false,
    links: false,
    domains: [],
    titles: ['{brand} printer support number', '{brand} customer service helpline'],
    sentences: [
      'Call the toll free {brand} support number {phone} for instant help.',
      'Our certified technicians fix {brand} errors remotely in minutes.',
      'Dial {phone} if your {brand} account is locked or the password is lost.',
      'The helpline is open day and night, without waiting.',
    ],
  },
  {
    late: false,
    links: true,
    domains: ['royal-slots.example', 'bet-lucky.example', 'judi-online.example'],
    titles: ['Top online casino with {number} free spins', 'Which betting site pays fast?'],
    sentences: [
      'Register today and claim {number} free spins and a welcome bonus.',
      'Our online casino has slots, poker and live roulette with fast payouts.',
      'Play from your phone and win the jackpot.',
      'Trusted betting agent with the biggest odds on football.',
    ],
  },
  {
    late: false,
    links: true,
    domains: ['rank-boosters.example', 'seo-vikings.example'],
    titles: ['Need quality backlinks?', 'Digital marketing company for your business'],
    sentences: [
      'We are a leading digital marketing agency with {number} years of experience.',
      'Buy high authority backlinks and rank on the first page.',
      'Our SEO packages start at ${number} a month.',
      'Contact us for web design, social media and guest posts.',
    ],
  },
  {
    late: true,
    links: true,
    domains: ['coin-doubler.example', 'ai-trade-bot.example', 'recover-wallet.example'],
    titles: ['How to recover stolen bitcoin', 'AI trading bot with {number}% profit a week'],
    sentences: [
      'I lost my savings to a fake broker until a recovery hacker traced my wallet.',
      'He returned all my bitcoin within {number} hours, contact him on Telegram.',
      'Invest ${number} in crypto and withdraw your profit every week.',
      'The trading bot works by itself, no experience needed.',
    ],
  },
  {
    late: true,
    links: true,
    domains: ['quick-cash-loans.example', 'easy-credit.example'],
    titles: ['Are you looking for an urgent loan?', 'Business and personal loans at {number}% interest'],
    sentences: [
      'We offer loans from ${number},000 without collateral or credit check.',
      'Apply now with your full name, country and phone number.',
      'A God fearing lender helped my family when the bank said no.',
      'The funds reach your account on the same day.',
    ],
  },
  {
    late: true,
    links: false,
    domains: [],
    titles: ['Powerful love spell that works', 'My husband came back after {number} days'],
    sentences: [
      'Dr {name} cast a love spell and my ex came back in {number} days.',
      'He also helps with pregnancy, court cases and winning the lottery.',
      'Write to him on WhatsApp {phone} and explain your problem.',
      'I am so happy and promised to testify about this great man.',
    ],
  },
  {
    late: true,
    links: true,
    domains: ['luxury-replica.example', 'outlet-shoes.example'],
    titles: ['Replica watches and bags, {number}% off', 'Cheap designer sneakers online'],
    sentences: [
      'Shop AAA quality replica watches, handbags and sneakers with free shipping.',
      'All items are the same as in the boutique at a tenth of the price.',
      'Pay on delivery and return within {number} days.',
      'New season arrivals, limited stock, order now.',
    ],
  },
];

const polite = [
  'Thanks for sharing this great post.',
  'Very informative, I like your writing.',
  'Nice question, I had the same problem.',
  'Hello everyone, I am new here.',
  '',
];

const slots: Readonly<Record<string, (random: Random) => string>> = {
  product: (random) => random.of(['Ketovia', 'Nutralean', 'SlimBlast', 'GreenTrim', 'Vitaslim']),
  brand: (random) => random.of(['Canyon', 'Epsilon', 'Outline', 'Nortel', 'Quickbook']),
  name: (random) => random.of(['Ade', 'Oduduwa', 'Zack', 'Ikhide', 'Moses']),
  number: (random) => String(2 + random.below(97)),
  phone: (random) => `+1-8${10 + random.below(89)}-${100 + random.below(900)}-${1_000 + random.below(9_000)}`,
};

const fill = (text: string, random: Random) =>
  text.replaceAll(/\{(\w+)\}/gu, (_, slot: string) => slots[slot]?.(random) ?? '');

export type SpamText = { title: string; content: string };

/** One campaign of spammers: a family, some of its phrasings, and domains of its own in half of the campaigns. */
export function createCampaign(random: Random, { isLate }: { isLate: boolean }) {
  // A third of the late campaigns are old acquaintances.
  const wantsLate = isLate && random.chance(2 / 3);
  const family = random.of(families.filter(({ late }) => late === wantsLate));
  const phrasings = family.sentences.filter((_, index) => !isLate || index % 2 === 1 || wantsLate);
  const ownDomain = random.chance(0.5) ? `offer${random.below(10_000)}.example` : null;
  /** @param quoted a sentence of the community, with which spammers make a post look on topic */
  return (kind: PostKind, quoted: string): SpamText => {
    const sentences = Array.from({ length: kind === 'reply' ? 1 : 1 + random.below(4) }, () =>
      fill(random.of(phrasings), random),
    );
    const link = `https://${ownDomain ?? (family.links ? random.of(family.domains) : '')}/${random.of(['', 'buy', 'blog/review', 'p?id=7'])}`;
    const parts = [
      random.chance(0.4) ? random.of(polite) : '',
      random.chance(0.3) ? quoted : '',
      ...new Set(sentences),
      family.links && random.chance(0.85)
        ? random.chance(0.5)
          ? `[${random.of(['Click here', 'Visit our site', 'Read more', 'Official website'])}](${link})`
          : link
        : '',
    ];
    return {
      title: fill(random.of(family.titles), random),
      content: parts.filter((part) => part !== '').join(random.chance(0.3) ? '\n\n' : ' '),
    };
  };
}
