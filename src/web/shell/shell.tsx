import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useLiveUpdates } from '../data/live'
import { Button } from '../parts/button'
import { BottomBar } from './bottom-bar'
import { DropZone } from './drop-zone'
import { useKeyboard } from './keys'
import { OfflineBar } from './offline-bar'
import { Overlays } from './overlays'
import { useSearchHighlight } from './search-highlight'
import { Sidebar } from './sidebar'
import { useFocusRestore } from './use-focus-restore'
import { useUnreadBadge } from './use-unread-badge'
import { WorkspaceName } from './workspace'

/** The frame around every page: the sidebar, and the bars on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const [isSidebarOpen, setSidebarOpen] = useState(false)
  useKeyboard()
  useFocusRestore()
  useLiveUpdates()
  useSearchHighlight()
  useUnreadBadge()
  useEffect(() => setSidebarOpen(false), [path])
  const closeSidebar = useCallback(() => setSidebarOpen(false), [])

  return (
    <div className="shell">
      <a className="skip button" href="#main">
        Skip to content
      </a>
      <Sidebar isOpen={isSidebarOpen} close={closeSidebar} />
      <div>
        <OfflineBar />
        <header className="bar">
          <Button
            icon="menu"
            variant="plain"
            label="Open sidebar"
            aria-expanded={isSidebarOpen}
            onClick={() => setSidebarOpen(true)}
          />
          <span className="workspace">
            <WorkspaceName />
          </span>
        </header>
        {children}
      </div>
      <BottomBar />
      <Overlays />
      <DropZone />
    </div>
  )
}
