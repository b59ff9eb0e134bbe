import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import { apiScope, type ApiToken } from '#shared/integrations/api-tokens.ts';
import { useMember } from '#web/core/session.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { CreateApiToken } from './ApiTokenForm.tsx';
import { ApiTokenList } from './ApiTokenList.tsx';
import { apiTokensQuery, createApiToken, revokeApiToken } from './api-tokens.ts';
import { SettingsSection, SettingsSkeleton } from './SettingsSection.tsx';
import account from './account-settings.module.css';

/** The member's API tokens. They can be created and revoked. Hidden where the community has switched them off. */
export function ApiTokenSettings() {
  const query = useQuery(apiTokensQuery);
  const { data } = query;
  if (data?.enabled === false && data.items.length === 0) return null;
  return (
    <SettingsSection
      title={t`API tokens`}
      text={t`Tokens let programs use the site in your name. Give each program its own.`}
    >
      {query.isPending ? (
        <LoadingRegion label={t`Loading your API tokens`} part>
          <SettingsSkeleton lines={[]} />
        </LoadingRegion>
      ) : data === undefined ? (
        <LoadError text={t`Your API tokens could not be loaded.`} query={query} />
      ) : (
        <TokenList tokens={data.items} isEnabled={data.enabled} />
      )}
    </SettingsSection>
  );
}

function TokenList({ tokens, isEnabled }: { tokens: readonly ApiToken[]; isEnabled: boolean }) {
  const [creating, setCreating] = useState(false);
  const client = useQueryClient();
  const isModerator = canModerate(useMember()?.role ?? 'member');
  return (
    <div className={account.setting}>
      <ApiTokenList tokens={tokens} revoke={(id) => revokeApiToken(client, id)} />
      {isEnabled ? (
        <div className={account.buttons}>
          <Button variant="default" onClick={() => setCreating(true)}>
            {t`Create a token`}
          </Button>
          <Button
            variant="subtle"
            renderRoot={({ children, ...props }) => (
              <a {...props} href="/api/docs" target="_blank" rel="noopener">
                {children}
              </a>
            )}
          >
            {t`API reference`}
          </Button>
        </div>
      ) : (
        <p className={account.note}>{t`API tokens are switched off in this community.`}</p>
      )}
      <CreateApiToken
        opened={creating}
        scopes={apiScope.options.filter((scope) => scope !== 'moderation' || isModerator)}
        create={(draft) => createApiToken(client, draft)}
        onClose={() => setCreating(false)}
      />
    </div>
  );
}
