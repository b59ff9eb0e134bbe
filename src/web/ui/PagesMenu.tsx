import { IconChevronDown, type TablerIcon } from '@tabler/icons-react';
import { Button } from './Button.tsx';
import { Menu, menuPortal } from './mantine/Menu.tsx';
import { Link } from './Link.tsx';

export type MenuPage = {
  /** A path with its query. */
  href: string;
  label: string;
  Icon: TablerIcon;
};

/** A button beside the heading of a page with a menu of the pages that belong to it. */
export function PagesMenu({ label, pages }: { label: string; pages: readonly MenuPage[] }) {
  return (
    <Menu position="bottom-end" width={248} portalProps={menuPortal}>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {pages.map(({ href, label, Icon }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            renderRoot={(props) => <Link href={href} {...props} />}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
