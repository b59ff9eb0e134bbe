const mantine = require('postcss-preset-mantine');

module.exports = { plugins: [mantine(), hoverByPointersOnly()] };

/**
 * Restricts every `:hover` to devices that can hover. On touch screens the hover style would stay after a tap, even if
 * the action was refused.
 */
function hoverByPointersOnly() {
  return {
    postcssPlugin: 'parley-hover-by-pointers-only',
    OnceExit(root, { AtRule }) {
      root.walkRules(/:hover/u, (rule) => {
        if (isBehindMedia(rule)) return;
        const hovered = rule.selectors.filter((selector) => selector.includes(':hover'));
        const others = rule.selectors.filter((selector) => !selector.includes(':hover'));
        const media = new AtRule({ name: 'media', params: '(hover: hover)', source: rule.source });
        rule.after(media);
        media.append(rule.clone({ selectors: hovered }));
        if (others.length === 0) rule.remove();
        else rule.selectors = others;
      });
    },
  };
}

function isBehindMedia(rule) {
  for (let at = rule.parent; at !== undefined; at = at.parent)
    if (at.type === 'atrule' && at.name === 'media' && at.params.includes('hover')) return true;
  return false;
}
