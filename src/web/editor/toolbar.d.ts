import type MarkdownToolbarElement from '@github/markdown-toolbar-element';
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'markdown-toolbar': DetailedHTMLProps<
        HTMLAttributes<MarkdownToolbarElement> & { for: string },
        MarkdownToolbarElement
      >;
    }
  }
}
