import { useQuery } from '@tanstack/react-query'
import { everyRecord } from '../../client'
import type { Channel } from '../../contract/channels'
import type { Hearing } from './live'
import { cache, parley } from './parley'

const CHANNELS = ['channels']
const MOST_CHANNELS = 500

/** The channels one may see, by name: all of them, the index shows them. */
export const useChannels = () => useQuery({ queryKey: CHANNELS, queryFn: loadChannels })

export const useChannel = (id: string | undefined) => useChannels().data?.find((channel) => channel.id === id)

async function loadChannels(): Promise<Channel[]> {
  const channels: Channel[] = []
  for await (const channel of everyRecord(parley.channels.list, { sort: 'name', direction: 'asc' })) {
    channels.push(channel)
    if (channels.length === MOST_CHANNELS) break
  }
  return channels
}

export function putChannel(channel: Channel) {
  cache.setQueryData<Channel[]>(CHANNELS, (channels) =>
    channels
      ? [...channels.filter(({ id }) => id !== channel.id), channel].sort((a, b) => a.name.localeCompare(b.name))
      : channels,
  )
}

export function dropChannel(id: string) {
  cache.setQueryData<Channel[]>(CHANNELS, (channels) => channels?.filter((channel) => channel.id !== id))
}

const refresh = () => cache.invalidateQueries({ queryKey: CHANNELS })

export const hearChannels: Hearing = {
  'channel.created': ({ data }) => putChannel(data),
  'channel.updated': ({ data }) => (data.archived_at ? dropChannel(data.id) : putChannel(data)),
  'channel.deleted': ({ data }) => dropChannel(data.id),
  'channel.member_added': ({ data }) => {
    putChannel(data.channel)
    void refreshMembers(data.channel.id)
  },
  // One may have lost sight of it.
  'channel.member_removed': ({ data }) => {
    void refresh()
    void refreshMembers(data.channel.id)
  },
  'workspace.seeded': () => void refresh(),
}

const refreshMembers = (id: string) => cache.invalidateQueries({ queryKey: ['channel-members', id] })
