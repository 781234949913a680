import { CONFIG_DIRECTORY, DATA_DIRECTORY, LISTS, PROGRAM } from "./goquorum.ts";
import { enodeOf } from "./node-key.ts";
import { type ChangeSteps, majorityOf, namesOf, request, type RpcRequest } from "./steps.ts";

/** What the console has as a property and not as a function. */
const PROPERTIES: ReadonlySet<string> = new Set(["admin_peers", "eth_blockNumber"]);
/** Runs a command as the user of the service, who owns the node's files and its IPC socket. */
const AS_NODE = "sudo -u goquorum";

/**
 * Returns the steps of changes of a network of GoQuorum nodes. A node reads `permissioned-nodes.json` at each new
 * connection, and `admin_removePeer` ends a connection and takes the node off the static ones: no node restarts.
 * Operators use the IPC socket of their node, because its RPC has no API that changes it.
 */
export function goQuorumSteps(): ChangeSteps {
  return {
    toAdd(validators, joining, lost) {
      const voters = namesOf(validators.filter(({ name }) => name !== lost?.name));
      return [
        {
          what:
            `Let ${joining.name} connect: copy the new lists of your folder.` +
            (lost === undefined
              ? ""
              : ` They no longer have ${lost.name}: if it runs, leave it running until it is voted out, because it ` +
                "cannot connect again."),
          at: voters,
          requests: [request("admin_addPeer", enodeOf(joining, joining.address))],
          copiesLists: true,
        },
        {
          what:
            `Install ${joining.name} and start its node. Continue when eth.blockNumber is the same there as here: a ` +
            "validator that lags does not count towards the quorum.",
          at: [joining.name],
          requests: [request("eth_blockNumber")],
        },
        {
          what:
            `Vote for ${joining.name}. It takes ${majorityOf(validators.length)} of ${validators.length}; it is a ` +
            "validator some blocks after the last of them: repeat the second command.",
          at: voters,
          requests: [request("istanbul_propose", joining.validator, true), request("istanbul_getValidators")],
        },
        {
          what: `When istanbul.getValidators() has ${joining.validator}, take the vote back: it is counted.`,
          at: voters,
          requests: [request("istanbul_discard", joining.validator)],
        },
      ];
    },
    toRemove(validators, leaving) {
      const staying = namesOf(validators.filter(({ name }) => name !== leaving.name));
      return [
        {
          what:
            `Vote against ${leaving.name}. It takes ${majorityOf(validators.length)} of ${validators.length}, ` +
            "whether or not it is running: repeat the second command.",
          at: staying,
          requests: [request("istanbul_propose", leaving.validator, false), request("istanbul_getValidators")],
        },
        {
          what: `When istanbul.getValidators() has ${leaving.validator} no more, take the vote back: it is counted.`,
          at: staying,
          requests: [request("istanbul_discard", leaving.validator)],
        },
        {
          what: `Stop the node of ${leaving.name}, if it runs, and destroy its key.`,
          at: [leaving.name],
          requests: [],
        },
        {
          what:
            `Disconnect ${leaving.name}: copy the new lists of your folder first, otherwise it connects again. ` +
            `Continue when admin.peers does not have ${leaving.name}.`,
          at: staying,
          requests: [request("admin_removePeer", enodeOf(leaving, leaving.address)), request("admin_peers")],
          copiesLists: true,
        },
      ];
    },
    commandsAt: (_host, { requests, copiesLists }) => [
      ...(copiesLists === true ? [CONFIG_DIRECTORY, DATA_DIRECTORY].map(copyCommand) : []),
      ...requests.map(
        (each) => `${AS_NODE} ${PROGRAM} attach --exec '${consoleCall(each)}' ${DATA_DIRECTORY}/geth.ipc`,
      ),
    ],
  };
}

function copyCommand(directory: string): string {
  return `install -m 0600 -o goquorum -g goquorum ${LISTS.map((list) => `goquorum/${list}`).join(" ")} ${directory}/`;
}

/** Formats a request for geth's console. */
function consoleCall({ method, params }: RpcRequest): string {
  const name = method.replace("_", ".");
  return PROPERTIES.has(method) ? name : `${name}(${params.map((each) => JSON.stringify(each)).join(", ")})`;
}
