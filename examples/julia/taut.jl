# taut from Julia, by ccall on taut/taut_c.h: julia taut.jl robot.toml
const taut = "libtaut_c"  # libtaut_c.so.0 on LD_LIBRARY_PATH, or its whole path
const NODES, TENSIONS = 1, 3  # of taut_quantity
check(status) = status == 0 || error(unsafe_string(@ccall taut.taut_error_message()::Cstring))

function read_array(sim, quantity)  # a copy
    count = Ref{Int64}(0)
    first = @ccall taut.taut_array(sim::Ptr{Cvoid}, quantity::Cint, count::Ref{Int64})::Ptr{Cdouble}
    first == C_NULL && check(-1)
    return copy(unsafe_wrap(Array, first, count[]))
end
nodes(sim) = reshape(read_array(sim, NODES), 3, :)  # a column for each node, m

function main(file)
    model, sim = Ref{Ptr{Cvoid}}(C_NULL), Ref{Ptr{Cvoid}}(C_NULL)
    check(@ccall taut.taut_load(file::Cstring, C_NULL::Ptr{Cstring}, 0::Int64, model::Ref{Ptr{Cvoid}})::Cint)
    check(@ccall taut.taut_model_set_number(model[]::Ptr{Cvoid}, "simulation.step"::Cstring, 1e-3::Cdouble)::Cint)
    check(@ccall taut.taut_simulation_new(model[]::Ptr{Cvoid}, sim::Ref{Ptr{Cvoid}})::Cint)
    for i in 0:(@ccall taut.taut_input_count(sim[]::Ptr{Cvoid})::Int64) - 1
        println(unsafe_string(@ccall taut.taut_input_name(sim[]::Ptr{Cvoid}, i::Int64)::Cstring))
    end
    check(@ccall taut.taut_command_one(sim[]::Ptr{Cvoid}, 0::Int64, 0.45::Cdouble, 0.1::Cdouble)::Cint)
    while (@ccall taut.taut_time(sim[]::Ptr{Cvoid})::Cdouble) < 1.0
        check(@ccall taut.taut_advance(sim[]::Ptr{Cvoid}, 0.01::Cdouble)::Cint)
    end
    println("highest node: ", maximum(nodes(sim[])[3, :]), " m; tensions: ", read_array(sim[], TENSIONS), " N")
    @ccall taut.taut_simulation_free(sim[]::Ptr{Cvoid})::Cvoid
    @ccall taut.taut_model_free(model[]::Ptr{Cvoid})::Cvoid
end
main(ARGS[1])
