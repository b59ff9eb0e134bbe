// The widget of other sites (docs/widget.md). Plain JavaScript without dependencies: the server sends it as it stands,
// with its texts instead of TEXTS.
(() => {
  const texts = /* TEXTS */ {};
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  const { tag, related, count = '5', theme = '' } = script.dataset;
  if (tag === undefined && related === undefined) return;
  const wanted = tag === undefined ? describePage() : { tag };
  const site = new URL(script.src).origin;
  const host = document.createElement('div');
  host.className = 'parley-widget';
  host.dataset.theme = theme;
  const root = host.attachShadow({ mode: 'open' });
  // A constructed style sheet needs no exception in the policy of the other site.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { display: block; font: inherit; color: inherit; line-height: 1.5 }
    :host([data-theme=light]) { color: #1f1c18; background: #fbf9f4; color-scheme: light; padding: 0.75em 1em }
    :host([data-theme=dark]) { color: #e6e0d5; background: #191815; color-scheme: dark; padding: 0.75em 1em }
    section { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding-top: 0.75em }
    h2 { font-size: 1em; margin: 0 0 0.5em }
    ul { list-style: none; margin: 0; padding: 0 }
    li { margin: 0 0 0.5em; overflow-wrap: anywhere }
    p { margin: 0 0 0.5em }
    small { display: block; opacity: 0.75 }
    a { color: inherit; text-underline-offset: 0.15em }
    h2 a, li a { text-decoration-color: color-mix(in srgb, currentColor 35%, transparent) }
    a:hover { text-decoration-color: currentColor }
    a:focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
  `);
  root.adoptedStyleSheets = [sheet];
  const section = add(root, 'section');
  section.lang = texts.language;
  section.dir = texts.direction;
  const heading = add(section, 'h2');
  if (tag === undefined)
    link(heading, `${site}/search?${new URLSearchParams({ q: wanted.related })}`, texts.related);
  else link(heading, `${site}/topics/${encodeURIComponent(tag)}`, texts.heading.replace('{tag}', tag));
  script.after(host);
  void load();

  /** The text that the site gives, else title and description of the page. */
  function describePage() {
    const description = document.querySelector('meta[name="description"]')?.content ?? '';
    return related.trim() === ''
      ? { related: document.title.slice(0, 200), description: description.slice(0, 300) }
      : { related: related.slice(0, 200) };
  }

  async function load() {
    section.setAttribute('aria-busy', 'true');
    try {
      const query = new URLSearchParams({ ...wanted, count, language: texts.language });
      const response = await fetch(`${site}/widget.json?${query}`, { credentials: 'omit' });
      if (!response.ok) throw new Error(String(response.status));
      show(await response.json());
    } catch {
      add(section, 'p').textContent = texts.failed;
    }
    section.removeAttribute('aria-busy');
  }

  function show({ questions }) {
    if (questions.length === 0) {
      add(section, 'p').textContent = texts.empty;
      link(section, `${site}/ask`, texts.ask);
      return;
    }
    const list = add(section, 'ul');
    for (const { title, url, answers } of questions) {
      const item = add(list, 'li');
      link(item, url, title).dir = 'auto';
      add(item, 'small').textContent = answers;
    }
  }

  function add(parent, name) {
    return parent.appendChild(document.createElement(name));
  }

  function link(parent, href, text) {
    const anchor = add(parent, 'a');
    anchor.href = href;
    anchor.textContent = text;
    return anchor;
  }
})();
