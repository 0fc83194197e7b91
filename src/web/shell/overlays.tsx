import { Suspense, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { listWaiting } from '../data/cache/queue'
import { lazyLoad } from '../parts/lazy-load'
import { notifyProblem } from '../parts/notices'
import { useOpenedImage } from '../parts/open-image'
import { paths } from '../paths'
import { useKeys } from './keys'
import { useNewPostPath } from './use-new-post-path'

const Palette = lazyLoad(() => import('./palette'), 'soon')
const KeysHelp = lazyLoad(() => import('./keys-help'))
const Lightbox = lazyLoad(() => import('./lightbox'))

// They are needed when there is no connection.
const WaitingList = lazyLoad(async () => ({ default: (await import('./waiting-list')).WaitingList }), 'soon')
const SignOutQuestion = lazyLoad(async () => ({ default: (await import('./waiting-list')).SignOutQuestion }), 'soon')

/** At most one overlay is open. */
type Open = 'palette' | 'keys' | 'waiting' | 'sign-out' | undefined
let open: Open
const listeners = new Set<() => void>()

function setOpen(what: Open) {
  open = what
  for (const listener of listeners) listener()
}

export const openPalette = () => setOpen('palette')
export const openKeys = () => setOpen('keys')
export const openWaitingList = () => setOpen('waiting')

const signOut = async () => (await import('../data/sessions')).signOut()

/** Asks first if something has not been sent. */
export function startSigningOut() {
  if (listWaiting().length > 0) setOpen('sign-out')
  else void signOut().catch((error) => notifyProblem("Couldn't sign out.", error))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The palette, the keyboard help and the lightbox, loaded on first use, and the global shortcuts. */
export function Overlays() {
  const shown = useSyncExternalStore(subscribe, () => open)
  const [, navigate] = useLocation()
  const image = useOpenedImage()
  const newPost = useNewPostPath()
  const go = (label: string, to: string) => ({ label, run: () => navigate(to) })
  useKeys('General', {
    'mod+k': { label: 'Search', run: openPalette },
    '/': { label: 'Search', run: openPalette },
    '?': { label: 'Show keyboard shortcuts', run: openKeys },
    c: go('New post', newPost),
    'g i': go('Go to inbox', paths.inbox),
    'g p': go('Go to posts', paths.posts),
    'g o': go('Go to open posts', paths.openPosts),
    'g t': go('Go to threads', paths.threads),
    'g b': go('Browse channels', paths.channels),
    'g m': go('Go to members', paths.members),
    'g f': go('Go to search', paths.search()),
    'g s': go('Go to saved', paths.saved),
    'g ,': go('Go to settings', paths.settings()),
  })
  return (
    <Suspense>
      {shown === 'palette' && <Palette close={() => setOpen(undefined)} />}
      {image && <Lightbox id={image} />}
      {shown === 'waiting' && <WaitingList close={() => setOpen(undefined)} />}
      {shown === 'sign-out' && <SignOutQuestion close={() => setOpen(undefined)} />}
      {shown === 'keys' && <KeysHelp close={() => setOpen(undefined)} />}
    </Suspense>
  )
}
