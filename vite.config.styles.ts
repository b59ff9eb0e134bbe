import type { Plugin } from 'vite';

/** The module with the class names of a component: all that uses the component imports it. */
const classNames = /\/@mantine\/(\w+)\/esm\/(?:.*\/)?(\w+)\.module\.mjs$/u;

/**
 * A component of Mantine brings its styles along: they are in the file that has its program, and come with it. Without this,
 * each file that uses a component would have to import the styles of it and of all it is made of, and a file that does not
 * looks right for as long as another one does.
 */
export function componentStyles(): Plugin {
  return {
    name: 'parley:component-styles',
    // In development, Vite bundles packages beforehand, where this is not called.
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
