import type { ComponentType } from 'react';

/**
 * Mantine gives `dir` to the element around a field, where 'auto' does not depend on the text of the field. An empty
 * field has the direction of the page.
 */
export function withFieldDirection<Component extends ComponentType<never>>(Component: Component): Component {
  const Field = Component as ComponentType<object>;
  function FieldWithDirection({ dir, ...props }: { dir?: string; value?: unknown }) {
    if (dir !== 'auto') return <Field {...props} {...(dir !== undefined && { dir })} />;
    const input = props.value === '' ? {} : { dir };
    return <Field {...props} {...{ attributes: { input } }} />;
  }
  return FieldWithDirection as unknown as Component;
}
