import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { useMe } from '../data/me'
import { Icon, type IconName } from '../parts/icon'
import { WorkspaceIcon } from '../parts/workspace-icon'
import { paths } from '../paths'
import { openKeys, startSigningOut } from './overlays'

/** The icon and the name of the workspace. */
export function WorkspaceName() {
  const { name, icon_url } = useMe().workspace
  return (
    <>
      <WorkspaceIcon name={name} src={icon_url} />
      <span>{name}</span>
    </>
  )
}

const MENU = 'workspace-menu'

/** The name of the workspace, which opens what is not needed every day. */
export function WorkspaceMenu() {
  const [path] = useLocation()
  const menu = useRef<HTMLDivElement>(null)
  const close = () => menu.current?.hidePopover()
  useEffect(close, [path])
  const link = (to: string, icon: IconName, label: string) => (
    <Link href={to} className="menu-item" onClick={close}>
      <Icon name={icon} />
      {label}
    </Link>
  )
  return (
    <>
      <button type="button" className="workspace workspace-button" popoverTarget={MENU}>
        <WorkspaceName />
        <Icon name="down" />
      </button>
      <div ref={menu} id={MENU} popover="auto" className="menu workspace-menu">
        {link(paths.members, 'people', 'Members')}
        {link(paths.settings(), 'settings', 'Settings')}
        <button
          type="button"
          className="menu-item"
          onClick={() => {
            close()
            openKeys()
          }}
        >
          <Icon name="keyboard" />
          Keyboard shortcuts
        </button>
        <hr className="menu-line" />
        <button
          type="button"
          className="menu-item"
          onClick={() => {
            close()
            startSigningOut()
          }}
        >
          <Icon name="leave" />
          Sign out
        </button>
      </div>
    </>
  )
}
