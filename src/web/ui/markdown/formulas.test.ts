import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { extractFormulas } from './find-formulas.ts';
import { renderFormula } from './render-formula.ts';

/** The formulas in a text, as they were typed. */
const find = (text: string) => extractFormulas(text)?.formulas.map(({ source }) => source) ?? [];

test.each([
  ['Einstein: $E = mc^2$.', ['$E = mc^2$']],
  ['the $n$th of $k$-means, ($x$)', ['$n$', '$k$', '$x$']],
  ['设$x$为', ['$x$']],
  ['$a\n+ b$', ['$a\n+ b$']],
  ['$x_{\\text{if $y$}}$', ['$x_{\\text{if $y$}}$']],
  ['$\\$5 + \\{x$', ['$\\$5 + \\{x$']],
  ['Then\n$$\na\n- b\n$$\nholds.', ['$$\na\n- b\n$$']],
  ['> $$\n> a\n> $$', ['$$\n> a\n> $$']],
  ['in a line $$x$$ too', ['$$x$$']],
  ['| $|x|$ | `$y$` |', ['$|x|$']],
])('finds the formulas in %j', (text, formulas) => {
  expect(find(text)).toEqual(formulas);
});

test.each([
  'It costs $5 and $10.',
  'From $5 to\n$10.',
  'From 5$ to 10$.',
  'US$5 and A$6$',
  '$20,000 and USD$30,000',
  '5$, then 6$',
  'foo$bar$baz',
  'A dollar $ and another $.',
  '$ x$ and $x $',
  'Escaped: \\$x\\$ and \\$x$',
  '`$x$` and ``a ` $x$``',
  '```\n$x$\n```',
  '> ~~~sh\n> echo $HOME$\n> ~~~',
  '```\nno end $x$',
  'https://example.org/$a$ and [a]($b$)',
  '$a\n\nb$ and $$a\n\nb$$',
  '$$ $$ and $$$x$$$',
  '$a{b$',
  `$${'x'.repeat(2001)}$`,
])('finds no formula in %j', (text) => {
  expect(find(text)).toEqual([]);
});

test('takes formulas of at most 20,000 characters from a text', () => {
  expect(find(`$${'x'.repeat(1999)}$ `.repeat(30))).toHaveLength(10);
});

// In quadratic time, this would take longer than a test may take.
test.each(['$a{', '$$a', '$a ', '`$', '``$`', '$\\', '](', '~~~\n$a$\n'])(
  'reads 1,200,000 characters of %j in linear time',
  (unit) => {
    const found = extractFormulas(unit.repeat(1_200_000 / unit.length));
    expect(found?.formulas.length ?? 0).toBeLessThan(3000);
  },
);

describe('a formula is MathML of known elements, attributes and classes', () => {
  const render = (tex: string, isBlock = false) => {
    const { math, error } = renderFormula(tex, isBlock);
    return math === null ? `Error: ${error}` : renderToStaticMarkup(math);
  };

  test('a fraction', () => {
    expect(render('\\frac{a}{b}', true)).toBe(
      '<math display="block"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>',
    );
  });

  test.each([
    '\\mathbb{R} \\in \\mathcal{L}, \\hat x \\vec{v} \\overline{AB}',
    '\\begin{aligned}a&=b\\\\&=c\\end{aligned}',
    '\\begin{array}{|c|r|}\\hline a&b\\\\ \\hline\\end{array}',
    'f(x)=\\begin{cases}1&x>0\\\\0&x\\le0\\end{cases}',
    '\\cancel{x}+\\boxed{y}\\tag{1}',
    '\\text{<img src=x onerror=alert(1)>}',
    '\\color{red}x\\colorbox{yellow}{y}\\fcolorbox{red}{blue}{z}',
    '\\raisebox{100em}{x}\\kern-90em y\\smash{z}',
    '\\rule{9999em}{9999em}\\hspace{9999cm}',
    '\\label{evil}\\ref{evil}\\eqref{evil}',
    'a\\!b \\ce{H2O}',
    '{\\Huge{\\Huge{\\Huge x}}}',
  ])('%s', (tex) => {
    const html = render(tex, true);
    expect(html).toMatch(/^<math/u);
    expect(html).not.toMatch(/<[^>]* (?:style|href|id|src|on\w+|mathcolor|mathbackground|voffset)=/u);
    expect(html).not.toMatch(/<(?!\/?m)/u);
    for (const [, value = ''] of html.matchAll(/="(-?[\d.]+)(?:em|ex|pt|px|cm)"/gu))
      expect(Math.abs(Number(value))).toBeLessThanOrEqual(30);
  });

  test.each([
    ['\\frac{a', 'Unexpected end of input'],
    ['\\foo', '\\foo'],
    ['\\href{javascript:alert(1)}{x}', '\\href'],
    ['\\url{javascript:alert(1)}', '\\url'],
    ['\\htmlClass{a}{x}', '\\htmlClass'],
    ['\\htmlStyle{color:red}{x}', '\\htmlStyle'],
    ['\\class{a}{x}', '\\class'],
    ['\\style{color:red}{x}', '\\style'],
    ['\\includegraphics{https://example.org/x.png}', '\\includegraphics'],
    ['\\def\\a{\\a\\a}\\a', '\\def'],
    ['\\gdef\\a{b}\\a', '\\gdef'],
    ['\\newcommand{\\a}{b}\\a', '\\newcommand'],
    ['\\let\\a=b\\a', '\\let'],
    [`${'\\sqrt{'.repeat(200)}x${'}'.repeat(200)}`, 'Too complex'],
  ])('names the reason why %.30s cannot be shown', (tex, reason) => {
    expect(render(tex)).toMatch(/^Error: ./u);
    expect(render(tex)).toContain(reason);
  });

  // In exponential time, this would take longer than a test may take.
  test.each([
    'x+',
    '\\sqrt{',
    '\\frac1',
    '\\bar',
    '{',
    '&',
    '\\\\',
    '^x',
    "'",
    '\\left(',
    '\\mathchoice{',
    '\\text{',
    '\\over ',
    '\\overbrace{',
    '\\Huge',
    '\\operatorname{',
    '\\begin{matrix}',
    '\\dfrac{\\dfrac{',
    '\\color{red}',
    '\\pmod{',
  ])('2,000 characters of %s are shown or refused in less than exponential time', (unit) => {
    const tex = unit.repeat(2000 / unit.length);
    for (const each of [tex, `\\begin{matrix}${tex}\\end{matrix}`.slice(0, 2000), tex + '}'.repeat(100)])
      expect(render(each)).toMatch(/^(?:<math|Error: .)/u);
  });
});
