// node_mavlink_test.cjs - every message that px4_hil writes is read by node-mavlink, and the other way round. Skipped (77) where
// node-mavlink is not installed.
// usage: node node_mavlink_test.cjs FOLDER_WITH_NODE_MODULES PROGRAM_PX4_FRAMES
const { spawnSync } = require('child_process');
const path = require('path');
const [, , folder, program] = process.argv;

let mavlink;
try {
    mavlink = require(path.join(folder, 'node_modules', 'node-mavlink'));
} catch (error) {
    console.log(`skipped: node-mavlink is not installed in ${folder}; scripts/node_mavlink.sh installs it`);
    process.exit(77);
}
const registry = { ...mavlink.minimal.REGISTRY, ...mavlink.common.REGISTRY };
const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i));

let wrong = 0;
function complain(text) {
    if (++wrong <= 20) console.log(text);
}

// As px4_frames has it: 64 bits as text, texts without what follows the first zero.
function comparable(field, value) {
    if (field.type === 'uint64_t' || field.type === 'int64_t') return String(value);
    if (field.type === 'char[]') return String(value).replace(/\0.*$/s, '');
    return value;
}

function to_node(field, value) {
    return field.type === 'uint64_t' || field.type === 'int64_t' ? BigInt(value) : value;
}

async function read(frames) {
    const splitter = new mavlink.MavLinkPacketSplitter();
    const parser = new mavlink.MavLinkPacketParser();
    splitter.pipe(parser);
    const packets = [];
    parser.on('data', (packet) => packets.push(packet));
    for (const frame of frames) splitter.write(Buffer.from(frame.hex, 'hex'));
    splitter.end();
    await new Promise((resolve) => parser.on('end', resolve));
    if (packets.length !== frames.length) complain(`node-mavlink reads ${packets.length} of ${frames.length} frames`);
    packets.forEach((packet, i) => {
        const frame = frames[i], type = registry[frame.id];
        if (packet.header.msgid !== frame.id || packet.header.sysid !== 17 || packet.header.compid !== 18 ||
            packet.header.seq !== 19) return complain(`header of ${frame.name}: ${JSON.stringify(packet.header)}`);
        if (frame.version === 3 && !packet.signature.matches(key)) complain(`signature of ${frame.name}`);
        const data = packet.protocol.data(packet.payload, type);
        for (const field of type.FIELDS) {
            if (field.extension && frame.version === 1) continue;
            const got = JSON.stringify(comparable(field, data[field.name])), meant = JSON.stringify(frame.fields[field.source]);
            if (got !== meant) complain(`${frame.name}.${field.source}, version ${frame.version}: ${got}, meant ${meant}`);
        }
        if (type.FIELDS.length !== Object.keys(frame.fields).length) complain(`${frame.name} has other fields`);
    });
}

function write(frames) {
    let lines = frames.map((frame) => {
        const type = registry[frame.id], message = new type();
        for (const field of type.FIELDS) message[field.name] = to_node(field, frame.fields[field.source]);
        let bytes;
        if (frame.version === 1) {
            bytes = new mavlink.MavLinkProtocolV1(17, 18).serialize(message, 19);
        } else {
            const protocol = new mavlink.MavLinkProtocolV2(17, 18, frame.version === 3 ? 1 : 0);
            bytes = protocol.serialize(message, 19);
            if (frame.version === 3) bytes = protocol.sign(bytes, 4, key, 1888000000000);
        }
        return JSON.stringify({ ...frame, hex: bytes.toString('hex') });
    });
    // It truncates a payload of zeros to nothing, where MAVLink keeps one byte: no such frame is read here.
    const empty = (line) => JSON.parse(line).version !== 1 && JSON.parse(line).hex.slice(2, 4) === '00';
    console.log(`${lines.filter(empty).length} frames of node-mavlink without payload left out`);
    lines = lines.filter((line) => !empty(line));
    const result = spawnSync(program, ['read'], { input: lines.join('\n') + '\n', encoding: 'utf8' });
    process.stdout.write(result.stdout.split('\n').slice(-20).join('\n'));
    if (result.status !== 0) ++wrong;
}

const output = spawnSync(program, ['write'], { encoding: 'utf8', maxBuffer: 1 << 26 }).stdout;
const frames = output.trim().split('\n').map((line) => JSON.parse(line));
read(frames).then(() => {
    write(frames);
    console.log(`${new Set(frames.map((frame) => frame.id)).size} messages, ${frames.length} frames, ${wrong} wrong`);
    process.exit(wrong === 0 ? 0 : 1);
});
