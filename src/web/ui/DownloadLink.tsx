import { t } from '@lingui/core/macro';
import { Button } from './Button.tsx';
import { IconDownload } from '@tabler/icons-react';

/**
 * A link that downloads a CSV file.
 * @param of what the file contains, for screen readers
 */
export function DownloadLink({ href, of }: { href: string; of: string }) {
  return (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<IconDownload size={16} stroke={1.8} aria-hidden />}
      renderRoot={({ children, ...props }) => (
        <a {...props} href={href} download aria-label={t`Download ${of} as CSV`}>
          {children}
        </a>
      )}
    >
      {t`CSV`}
    </Button>
  );
}
