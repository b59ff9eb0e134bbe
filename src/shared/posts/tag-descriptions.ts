/** Preset descriptions (docs/product.md 9.4); any other tag reads 'Discussion about {tag}'. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  javascript: 'The language of the web, in the browser and on the server',
  typescript: 'JavaScript with types: modelling, inference and tooling',
  react: 'Building user interfaces from components',
  python: 'Scripts, services, data and everything in between',
  'node.js': 'JavaScript on the server: runtimes, packages, performance',
  css: 'Layout, type and colour on the web',
  html: 'Structure and meaning of web pages',
  ai: 'Machine learning, language models and what to do with them',
  database: 'Storing, querying and keeping data safe',
  technology: 'Devices, systems and how they change our days',
  programming: 'The craft of writing software, in any language',
  career: 'Work, learning and getting on',
};
