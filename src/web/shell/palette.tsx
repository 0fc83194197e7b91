import * as Ariakit from '@ariakit/react'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useLocation } from 'wouter'
import { fold } from '../../contract/fold'
import type { Post } from '../../contract/posts'
import { useChannels } from '../data/channels'
import { usePermissions } from '../data/me'
import type { Pages } from '../data/pages'
import { cache, parley } from '../data/parley'
import { getRecentPages } from '../data/recents'
import { setTheme } from '../data/theme'
import { Icon, type IconName } from '../parts/icon'
import { getRecordSection, paths, type Section } from '../paths'

interface Entry {
  /** Unique; the path for entries that open a page. */
  id: string
  label: string
  icon: IconName
  note?: string
  disabledReason?: string
  run(): void
}

const MAX_SHOWN = 12

/** Opens a channel, post or member, or runs an action, by part of its name. */
export default function Palette({ close }: { close(): void }) {
  const [text, setText] = useState('')
  const groups = useEntries(text)
  const choose = (entry: Entry) => {
    if (entry.disabledReason) return
    close()
    entry.run()
  }
  return (
    <Ariakit.Dialog
      open
      onClose={close}
      className="dialog palette"
      backdrop={<div className="backdrop" />}
      aria-label="Search"
    >
      <Ariakit.ComboboxProvider open setValue={setText} value={text} includesBaseElement={false} focusLoop>
        <Ariakit.Combobox
          className="input"
          placeholder="Search channels, posts, members and actions"
          aria-label="Search"
          autoFocus
          autoSelect="always"
        />
        <Ariakit.ComboboxList alwaysVisible className="palette-list" aria-label="Results">
          {groups.map(({ title, entries }) => (
            <Ariakit.ComboboxGroup key={title}>
              <Ariakit.ComboboxGroupLabel className="meta palette-title">{title}</Ariakit.ComboboxGroupLabel>
              {entries.map((entry) => (
                <Ariakit.ComboboxItem
                  key={entry.id}
                  className="menu-item"
                  setValueOnClick={false}
                  hideOnClick={false}
                  disabled={entry.disabledReason !== undefined}
                  accessibleWhenDisabled
                  title={entry.disabledReason}
                  onClick={() => choose(entry)}
                >
                  <Icon name={entry.icon} />
                  <span className="palette-label">{entry.label}</span>
                  {(entry.disabledReason ?? entry.note) && (
                    <span className="meta">{entry.disabledReason ?? entry.note}</span>
                  )}
                </Ariakit.ComboboxItem>
              ))}
            </Ariakit.ComboboxGroup>
          ))}
          {groups.length === 0 && <p className="meta palette-title">No results for “{text}”</p>}
        </Ariakit.ComboboxList>
      </Ariakit.ComboboxProvider>
    </Ariakit.Dialog>
  )
}

/** The entries that match. Without a query, recent pages come first. */
function useEntries(text: string): { title: string; entries: Entry[] }[] {
  const actions = useActions()
  const channels = useChannels().data ?? []
  const members = useMemberSearch(text)
  const [, navigate] = useLocation()
  const goTo = (path: string, label: string, icon: IconName, note?: string): Entry => ({
    id: path,
    label,
    icon,
    note,
    run: () => navigate(path),
  })
  const matches = createMatcher(text)

  const recents = getRecentPages().map(({ path, title }) => goTo(path, title, getIcon(path)))
  const posts = getLoadedPosts().map(({ id, title, channel }) => goTo(paths.post(id), title, 'posts', channel.name))
  const channelEntries = channels.map(({ id, name, is_private }) =>
    goTo(paths.channel(id), name, is_private ? 'lock' : 'hash'),
  )
  const memberEntries = members.map(({ id, user }) => goTo(paths.member(id), user.display_name, 'people', user.email))
  const groups = [
    { title: 'Recent', entries: recents.filter(matches) },
    { title: 'Actions', entries: actions.filter(matches) },
    { title: 'Channels', entries: text ? channelEntries.filter(matches) : [] },
    { title: 'Members', entries: memberEntries },
    { title: 'Posts', entries: text ? posts.filter(matches) : [] },
  ]
  return removeDuplicates(groups)
}

/** Matches labels that contain every word. */
function createMatcher(text: string) {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return ({ label }: Entry) => words.every((word) => fold(label).includes(word))
}

/** Keeps the first of duplicate entries, and limits each group. */
function removeDuplicates(groups: { title: string; entries: Entry[] }[]) {
  const seen = new Set<string>()
  return groups
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter(({ id }) => !seen.has(id) && seen.add(id)).slice(0, MAX_SHOWN),
    }))
    .filter(({ entries }) => entries.length > 0)
}

const icons: Record<Section, IconName> = { posts: 'posts', channels: 'hash', threads: 'threads', members: 'people' }
const getIcon = (path: string): IconName => icons[getRecordSection(path) ?? 'posts']

function useActions(): Entry[] {
  const [, navigate] = useLocation()
  const { writeDeniedReason, manageDeniedReason } = usePermissions()
  const go = (label: string, path: string, icon: IconName, disabledReason?: string): Entry => ({
    id: path,
    label,
    icon,
    disabledReason,
    run: () => navigate(path),
  })
  return [
    go('New post', paths.newPost(), 'plus', writeDeniedReason),
    go('New thread or direct message', paths.newThread(), 'plus', writeDeniedReason),
    go('New channel', paths.newChannel, 'plus', manageDeniedReason),
    go('All posts', paths.posts, 'posts'),
    go('Open posts', paths.openPosts, 'posts'),
    go('Resolved posts', paths.resolvedPosts, 'check'),
    go('Threads', paths.threads, 'threads'),
    go('Members', paths.members, 'people'),
    go('Settings', paths.settings(), 'settings'),
    { id: 'light', label: 'Light theme', icon: 'settings', run: () => setTheme('light') },
    { id: 'dark', label: 'Dark theme', icon: 'settings', run: () => setTheme('dark') },
    { id: 'system', label: 'System theme', icon: 'settings', run: () => setTheme('system') },
  ]
}

function useMemberSearch(text: string) {
  const q = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['members-named', q],
    queryFn: () => parley.members.list({ q, limit: 6 }),
    enabled: q.length > 0,
    placeholderData: (before) => before,
    gcTime: 60_000,
  })
  return q ? (found.data?.data ?? []) : []
}

/** The posts of the loaded feeds. */
const getLoadedPosts = (): Post[] =>
  cache
    .getQueriesData<Pages<Post>>({ queryKey: ['posts'] })
    .flatMap(([, pages]) => pages?.pages.flatMap(({ data }) => data) ?? [])
