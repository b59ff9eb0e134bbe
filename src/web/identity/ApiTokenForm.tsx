import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ApiScope, ApiTokenDraft } from '#shared/integrations/api-tokens.ts';
import { limits } from '#shared/core/limits.ts';
import { ApiError } from '#web/core/errors.ts';
import { CopyField } from '#web/ui/CopyField.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { getScopes } from './api-tokens.ts';
import { OwnPasswordField } from './OwnPasswordField.tsx';
import { useHasPassword } from './settings.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import fields from '#web/ui/fields.module.css';
import classes from './account-settings.module.css';

const getPeriods = () =>
  [7, 30, 90, 365].map((days) => [String(days), plural(days, { one: '# day', other: '# days' })] as const);

type CreateApiTokenProps<Scope extends ApiScope> = {
  /** The scopes to choose from. */
  scopes: readonly Scope[];
  create: (draft: Omit<ApiTokenDraft, 'scopes'> & { scopes: Scope[] }) => Promise<{ token: string }>;
  onClose: () => void;
};

/** Creates an API token and shows it, once. */
export function CreateApiToken<Scope extends ApiScope>({
  opened,
  onClose,
  ...form
}: CreateApiTokenProps<Scope> & { opened: boolean }) {
  const [token, setToken] = useState<string | null>(null);
  const close = () => {
    onClose();
    setToken(null);
  };
  return (
    <Dialog
      title={token === null ? t`Create a token` : t`Your new token`}
      // Also if the form was closed while the token was created.
      opened={opened || token !== null}
      closeButton={token === null}
      // Only its button closes the second step, because the token is not shown again.
      onClose={token === null ? close : () => {}}
    >
      {token === null ? (
        <ApiTokenForm {...form} onCreated={setToken} onClose={close} />
      ) : (
        <CopyField
          label={t`Token`}
          description={t`Copy it now: it is not shown again.`}
          text={token}
          onSaved={close}
        />
      )}
    </Dialog>
  );
}

function ApiTokenForm<Scope extends ApiScope>({
  scopes: choices,
  create: createToken,
  onCreated,
  onClose,
}: CreateApiTokenProps<Scope> & { onCreated: (token: string) => void }) {
  const create = useMutation({ mutationFn: createToken, onSuccess: ({ token }) => onCreated(token) });
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(choices.slice(0, 1));
  const [days, setDays] = useState('90');
  const [password, setPassword] = useState('');
  const hasPassword = useHasPassword();
  const texts = new Map(getScopes().map((text) => [text.scope, text]));
  const { error } = create;
  const atField = (field: string) => (error instanceof ApiError ? error.messageForField(field) : null);
  const isAtField = ['name', 'scopes', 'password'].some((field) => atField(field) !== null);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (create.isPending) return;
    const proof = password === '' ? {} : { password };
    create.mutate({ ...proof, name, scopes: [...scopes], expiresInDays: Number(days) });
  }

  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope]);

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <TextInput
        label={t`Name of the token`}
        description={t`What the token is for, such as a script`}
        data-autofocus
        autoComplete="off"
        maxLength={limits.apiTokenName * 2}
        value={name}
        error={atField('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <fieldset className={classes.choices}>
        <legend>{t`What the program may do`}</legend>
        {choices.map((scope) => (
          <label key={scope} className={classes.choice}>
            <input
              type="checkbox"
              className={fields.checkbox}
              checked={scopes.includes(scope)}
              onChange={() => toggle(scope)}
            />
            <span>
              {texts.get(scope)?.label}
              <span className={classes.note}>{texts.get(scope)?.text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <FormError message={atField('scopes')} />
      <FormSelect label={t`Expires in`} options={getPeriods()} value={days} onChange={setDays} />
      <OwnPasswordField
        value={password}
        error={atField('password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <FormError message={error === null || isAtField ? null : getActionErrorMessage(error)} />
      <div className={classes.dialogButtons}>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" loading={create.isPending || hasPassword === undefined}>
          {t`Create token`}
        </Button>
      </div>
    </form>
  );
}
