import { setChannelDefault, useDefaultChannels } from '../../../data/channels'
import { useMe } from '../../../data/me'
import { setMembersCreateChannels } from '../../../data/workspace'
import { Button } from '../../../parts/button'
import { Check } from '../../../parts/check'
import { Icon } from '../../../parts/icon'
import { notifyProblem } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'
import { ChannelPicker } from '../../post/channel-picker'
import { RowSkeleton } from '../parts'

/** Which channels newcomers are in, and who may create channels: for admins. */
export const ChannelsSection = () => (
  <>
    <DefaultChannels />
    <Creation />
  </>
)

function DefaultChannels() {
  const channels = useDefaultChannels()
  return (
    <section aria-labelledby="default-channels">
      <div className="spread">
        <div>
          <h2 id="default-channels">Default channels</h2>
          <p className="meta">
            Members and viewers are in these channels as soon as they join. Guests are only in the channels they were
            added to.
          </p>
        </div>
        <ChannelPicker
          value=""
          label="Add a channel"
          choose={(id) => void setChannelDefault(id, true)}
          getDeniedReason={({ is_private, is_default }) =>
            is_private ? 'Private: people are added to it' : is_default ? 'Everyone joins it already' : undefined
          }
        />
      </div>
      {channels.error && !channels.data && <ProblemNote error={channels.error} retry={() => void channels.refetch()} />}
      {!channels.data && !channels.error && <RowSkeleton what="default channels" />}
      {channels.data?.length === 0 && <p>There are none: whoever joins has to find a channel first.</p>}
      {channels.data && channels.data.length > 0 && (
        <ul className="rows" aria-label="Default channels">
          {channels.data.map((channel) => (
            <li key={channel.id} className="rows-item">
              <div className="row">
                <Icon name="hash" />
                <div>
                  <p className="rows-name">{channel.name}</p>
                  {channel.description && <p className="meta">{channel.description}</p>}
                </div>
              </div>
              <Button
                variant="plain"
                label={`Remove ${channel.name}`}
                onClick={() => void setChannelDefault(channel.id, false)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Creation() {
  const { members_create_channels } = useMe().workspace
  const choose = (isOn: boolean) =>
    void setMembersCreateChannels(isOn).catch((error) => notifyProblem("Couldn't save who creates channels.", error))
  return (
    <section className="form" aria-labelledby="channel-creation">
      <h2 id="channel-creation">Creating channels</h2>
      <Check
        label="Members can create channels"
        checked={members_create_channels}
        onChange={(event) => choose(event.target.checked)}
        hint="They rename them, and add and remove people. Private channels are made by admins; viewers and guests make none."
      />
    </section>
  )
}
