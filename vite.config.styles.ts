import type { Plugin } from 'vite';

/** The module with the class names of a component, which everything that uses the component imports. */
const classNames = /\/@mantine\/(\w+)\/esm\/(?:.*\/)?(\w+)\.module\.mjs$/u;

/**
 * Bundles the styles of each Mantine component with its code. Otherwise each file would have to import the styles of
 * every component it uses, directly or indirectly, and a missing import would go unnoticed as long as another file has
 * it.
 */
export function componentStyles(): Plugin {
  return {
    name: 'parley:component-styles',
    // In development Vite prebundles packages, which skips this plugin.
    config: () => ({ optimizeDeps: { exclude: ['@mantine/core', '@mantine/notifications'] } }),
    transform: {
      filter: { id: classNames },
      handler(code, id) {
        const [, from = '', name = ''] = classNames.exec(id) ?? [];
        const styles = from === 'core' ? `styles/${name}.layer.css` : 'styles.layer.css';
        return { code: `import '@mantine/${from}/${styles}';\n${code}`, map: null };
      },
    },
  };
}

/**
 * Shows a font only if it arrives before the first paint. Otherwise the text appears in a font of the system until the
 * next page, instead of moving when the font arrives.
 */
export function optionalFonts(): Plugin {
  return {
    name: 'parley:optional-fonts',
    enforce: 'pre',
    transform: {
      filter: { id: /@fontsource-variable\/.*[.]css$/u },
      handler: (code) => ({
        code: code.replaceAll('font-display: swap', 'font-display: optional'),
        map: null,
      }),
    },
  };
}
