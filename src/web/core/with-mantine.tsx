import '@mantine/core/styles/global.layer.css';
import './mantine-variables.css';
import { DirectionProvider, MantineContext, MantineProvider, type MantineThemeOverride } from '@mantine/core';
import { type ComponentType, type ReactNode, use } from 'react';
import { getTextDirection } from '#shared/core/text.ts';
import { useLanguage } from '#web/languages/languages.ts';

/**
 * A component of Mantine with the provider that it needs. There is none around the web app, because the pages for
 * reading use no component of Mantine: its core would be 14 KB more before they handle input (docs/decisions/052).
 */
export function withProvider<Component extends ComponentType<never>>(
  Component: Component,
  theme: MantineThemeOverride,
): Component {
  const Wrapped = Component as ComponentType<object>;
  function WithProvider(props: object) {
    const component = <Wrapped {...props} />;
    // A component inside another one, such as a field in a dialog.
    if (use(MantineContext) !== null) return component;
    return <Provider theme={theme}>{component}</Provider>;
  }
  // With its parts, such as `Menu.Item`.
  return Object.assign(WithProvider, Component);
}

function Provider({ theme, children }: { theme: MantineThemeOverride; children: ReactNode }) {
  return (
    <DirectionProvider initialDirection={getTextDirection(useLanguage())} detectDirection={false}>
      {/* The variables are in mantine-variables.css: the content security policy forbids writing them into <style>. */}
      <MantineProvider
        theme={theme}
        withCssVariables={false}
        withGlobalClasses={false}
        // core/color-scheme.ts sets the attribute of the page.
        getRootElement={noElement}
      >
        {children}
      </MantineProvider>
    </DirectionProvider>
  );
}

const noElement = () => undefined;

/** Settings beyond mantine-variables.css. */
export const baseTheme: MantineThemeOverride = {
  primaryColor: 'teal',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'var(--sans)',
};
